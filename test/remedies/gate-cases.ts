import assert from 'node:assert/strict'
import type { Bench, Case } from './cases.ts'
import { opened } from './fix-cases.ts'
import { expectMade, type Json, runnersPath } from './ground.ts'
import { listenerObjects, remakeWhenEmpty, setsPath } from './stand-ins.ts'

const mergePatch = 'application/merge-patch+json'
const set = ['--scale-set', 'arc-runners/arc-demo']
const pods = '/api/v1/namespaces/arc-systems/pods'

type Undo = () => unknown
/** Makes one gate fail for a runner; gives the way back. */
type Change = (bench: Bench, name: string, others: readonly string[]) => Promise<Undo>

const written: Change = (bench, name) =>
  patched(bench, name, { metadata: { labels: { a: `${Date.now()}` } } })
const withJob: Change = (bench, name) =>
  statusPatched(bench, name, { jobRequestId: 7 }, { jobRequestId: null })
const busyAtForge: Change = async ({ forge }, name) => {
  const wasThere = forge.registered.has(name)
  forge.registered.add(name)
  forge.busy.add(name)
  return () => {
    forge.busy.delete(name)
    if (!wasThere) forge.registered.delete(name)
  }
}
const offline: Change = async ({ forge }, name) => {
  forge.offline.add(name)
  return () => forge.offline.delete(name)
}
const bare: Change = async (bench, name) => {
  const { finalizers } = (await bench.ground.cluster.api.request('GET', `${runnersPath}/${name}`)).body
    .metadata
  await patched(bench, name, { metadata: { finalizers: null } })
  return () => patched(bench, name, { metadata: { finalizers } })
}
/** Another runner like it comes. */
const another: Change = async ({ ground: { cluster } }, name) => {
  const { api } = cluster
  const found = (await api.request('GET', `${runnersPath}/${name}`)).body
  const { labels, annotations, ownerReferences, namespace } = found.metadata
  const metadata = { name: `${name}-next`, namespace, labels, annotations, ownerReferences }
  const { apiVersion, kind, spec, status } = found
  await expectMade(api, runnersPath, { apiVersion, kind, spec, metadata })
  await api.request('PATCH', `${runnersPath}/${metadata.name}/status`, { status }, mergePatch)
  return () => api.request('DELETE', `${runnersPath}/${metadata.name}`)
}

/** Gates of every removal of a runner. */
const common: Readonly<Record<string, Change>> = {
  'same-object': written,
  'not-busy-at-forge': busyAtForge,
  'finalizer-of-arc': bare,
}

const ofBlocker: Readonly<Record<string, Change>> = {
  'still-blocking': async ({ ground: { cluster } }) => {
    const made = await expectMade(cluster.api, listenerObjects, saved(lastListener))
    return () => cluster.api.request('DELETE', `${listenerObjects}/${made.metadata.name}`)
  },
  'all-free': (bench, _, [other = '']) => busyAtForge(bench, other, []),
  'not-remade': another,
}

const ofFailed: Readonly<Record<string, Change>> = {
  ...common,
  'still-failed': (bench, name) => statusPatched(bench, name, { phase: 'Running' }, { phase: 'Failed' }),
  'cause-stated': async (bench, name) => {
    const { reason, message } = (await bench.ground.cluster.api.request('GET', `${runnersPath}/${name}`)).body
      .status
    return statusPatched(bench, name, { reason: null, message: null }, { reason, message })
  },
  'cause-not-back': another,
  'no-job-in-cluster': withJob,
}

const ofHandoff: Readonly<Record<string, Change>> = {
  ...common,
  'lane-of-one': async ({ ground: { cluster } }) => {
    const put = (maxRunners: number) =>
      cluster.api.request('PATCH', `${setsPath}/arc-demo`, { spec: { maxRunners } }, mergePatch)
    await put(2)
    return () => put(1)
  },
  'no-worker': offline,
}

/** Listeners that idle runners keep away. */
export const blockerCases: Readonly<Record<string, Case>> = {
  async 'a listener that is missing: its idle runners go, and it comes'(bench) {
    const { run, plan, left } = await blocked(bench)
    const { hash, out } = await plan(...set)
    bench.say(out)
    const arc = remakeWhenEmpty(bench.ground.cluster, saved(lastListener), lastPod)
    const applied = await run('fix', 'listener-blocker', '--apply', hash).finally(() =>
      arc[Symbol.asyncDispose](),
    )
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    assert.deepEqual(await left(), [])
  },

  'a listener that is missing: the gates of its own': failing('listener-blocker', blocked, ofBlocker),
}

/** Every other gate that an object, or the forge's word about it, can make fail. */
export const longGateCases: Readonly<Record<string, Case>> = {
  'a listener that is missing: the gates of every removal': failing('listener-blocker', blocked, {
    ...common,
    'no-job-in-cluster': withJob,
    'started-container': offline,
  }),
  'failed runners: each gate': failing(
    'failed-runners',
    (bench) => opened(bench, '0.14.2/e-failed-runners-hold-slots', 'failed-runners'),
    ofFailed,
  ),
  'a lane of one: each gate': failing(
    'handoff',
    async (bench) => {
      const found = await opened(bench, '0.14.2/k-cancelled-handoff', 'handoff')
      for (const name of found.first) bench.forge.registered.add(name)
      return found
    },
    ofHandoff,
    ['--repository', 'bench/web', '--min-wait-seconds', '0'],
  ),
}

type Opened = Awaited<ReturnType<typeof opened>>

/** Plans, makes one gate fail, applies: nothing is touched; then back, and the next gate. */
function failing(
  remedy: string,
  open: (bench: Bench) => Promise<Opened>,
  gates: Readonly<Record<string, Change>>,
  more: readonly string[] = [],
): Case {
  return async (bench) => {
    const { run, plan, left, first } = await open(bench)
    for (const [gate, change] of Object.entries(gates)) {
      const { hash, names } = await plan(...set, ...more)
      const [name = ''] = names
      const undo = await change(
        bench,
        name,
        first.filter((each) => each !== name),
      )
      const { code, out, err } = await run('fix', remedy, '--apply', hash)
      assert.equal(code, 8, `${gate}: ${out}${err}`)
      assert.match(out, new RegExp(`${gate}: `), `${gate} is not named: ${out}`)
      for (const each of first) assert.ok((await left()).includes(each), `${gate}: ${each} is gone`)
      await undo()
    }
  }
}

let lastListener: Json
let lastPod: Json

/** A healthy set whose listener is gone. */
async function blocked(bench: Bench): Promise<Opened> {
  const found = await opened(bench, '0.14.2/a-healthy-idle', 'listener-blocker')
  for (const name of found.first) bench.forge.registered.add(name)
  const { api } = bench.ground.cluster
  lastListener = (await api.request('GET', listenerObjects)).body.items[0]
  const { name } = lastListener.metadata
  lastPod = (await api.request('GET', `${pods}/${name}`)).body
  const withoutFinalizers = { metadata: { finalizers: null } }
  await api.request('PATCH', `${listenerObjects}/${name}`, withoutFinalizers, mergePatch)
  await api.request('DELETE', `${listenerObjects}/${name}`)
  await api.request('DELETE', `${pods}/${name}?gracePeriodSeconds=0`)
  return found
}

/** The object as it is made again. */
function saved({ apiVersion, kind, metadata, spec }: Json): object {
  const { name, namespace, labels, annotations } = metadata
  return { apiVersion, kind, spec, metadata: { name, namespace, labels, annotations } }
}

async function patched({ ground }: Bench, name: string, change: object): Promise<Undo> {
  await ground.cluster.api.request('PATCH', `${runnersPath}/${name}`, change, mergePatch)
  return () => {}
}

async function statusPatched({ ground }: Bench, name: string, status: object, back: object): Promise<Undo> {
  const put = (given: object) =>
    ground.cluster.api.request('PATCH', `${runnersPath}/${name}/status`, { status: given }, mergePatch)
  await put(status)
  return () => put(back)
}
