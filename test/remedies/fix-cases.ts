import assert from 'node:assert/strict'
import path from 'node:path'
import type { Bench, Case } from './cases.ts'
import { expectMade, type Json, runnersPath } from './ground.ts'
import { type Ran, start } from './holdfast.ts'
import { remakeListener } from './stand-ins.ts'

export const set = ['--scale-set', 'arc-runners/arc-demo']
const mergePatch = 'application/merge-patch+json'
const runners = '/api/v1/namespaces/arc-runners'
const systems = '/api/v1/namespaces/arc-systems'
const planted = 'planted-credential-2b9d'

/** For each fix one true case, and one in which the fleet changed after the plan. */
export const fixCases: Readonly<Record<string, Case>> = {
  async 'failed runners: planned, removed, and their slots are free'(bench) {
    const { run, plan, left } = await opened(bench, '0.14.2/e-failed-runners-hold-slots', 'failed-runners')
    const { hash, out } = await plan(...set)
    bench.say(out)
    assert.equal((await left()).length, 4)
    const applied = await run('fix', 'failed-runners', '--apply', hash)
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    assert.deepEqual(await left(), [])
    const other = await run('reap', '--apply', hash)
    assert.equal(other.code, 5)
    assert.match(other.err, /is one of failed-runners/)
  },

  async 'failed runners: the pod of one starts after the plan, and none is touched'(bench) {
    const { run, plan, left } = await opened(bench, '0.14.2/e-failed-runners-hold-slots', 'failed-runners')
    const { hash, names } = await plan(...set)
    const [name = ''] = names
    await makePod(bench, `${runners}/pods`, name, [], { running: { startedAt: '2026-11-16T12:00:00Z' } })
    const { code, out } = await run('fix', 'failed-runners', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /no-started-container/)
    assert.equal((await left()).length, 4)
  },

  async 'a lane of one: its runner makes room, and the job that waits starts'(bench) {
    const { run, plan, left, first } = await opened(bench, '0.14.2/k-cancelled-handoff', 'handoff')
    for (const name of first) bench.forge.registered.add(name)
    const { hash, out } = await plan(...set, '--repository', 'bench/web', '--min-wait-seconds', '0')
    bench.say(out)
    const applied = await run('fix', 'handoff', '--apply', hash)
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    assert.deepEqual(await left(), [])
  },

  async 'a lane of one: the job that waited is cancelled after the plan, and nothing is touched'(bench) {
    const { run, plan, left, first } = await opened(bench, '0.14.2/k-cancelled-handoff', 'handoff')
    for (const name of first) bench.forge.registered.add(name)
    const { hash } = await plan(...set, '--repository', 'bench/web', '--min-wait-seconds', '0')
    bench.forge.next = { status: 'completed', runner_name: null }
    const { code, out } = await run('fix', 'handoff', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /replacement-queued/)
    assert.equal((await left()).length, 1)
  },

  async 'a pull secret: copied, the listener made again, and no value shown or stored'(bench) {
    const { run, plan } = await opened(bench, '0.14.2/j-image-pull', 'pull-secrets')
    const { listenerPod, source } = await refusedPull(bench)
    const { hash, out } = await plan(...set)
    bench.say(out)
    const arc = remakeListener(bench.ground.cluster, listenerPod)
    const applied = await run('fix', 'pull-secrets', '--apply', hash).finally(() =>
      arc[Symbol.asyncDispose](),
    )
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    const copy = (await bench.ground.cluster.api.request('GET', `${systems}/secrets/ghcr-pull`)).body
    assert.deepEqual(copy.data, source.data)
    const shown = out + applied.out + applied.err + (await run('trail', 'list', '--json')).out
    assert.ok(!shown.includes(planted))
  },

  async 'a pull secret: the runners’ copy changes after the plan, and nothing is written'(bench) {
    const { run, plan } = await opened(bench, '0.14.2/j-image-pull', 'pull-secrets')
    await refusedPull(bench)
    const { hash } = await plan(...set)
    const { api } = bench.ground.cluster
    await api.request(
      'PATCH',
      `${runners}/secrets/ghcr-pull`,
      { metadata: { labels: { a: 'b' } } },
      mergePatch,
    )
    const { code, out } = await run('fix', 'pull-secrets', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /same-source/)
    assert.equal((await api.request('GET', `${systems}/secrets/ghcr-pull`)).status, 404)
  },
}

let folders = 0

/** A state of ARC with a data folder of its own, for one fix. */
export async function opened({ ground, forge, folder }: Bench, state: string, remedy: string) {
  folders += 1
  const dataDir = path.join(folder, `fix-${folders}`)
  forge.onAnswered = () => {}
  forge.busy.clear()
  forge.refused = null
  forge.registered.clear()
  forge.offline.clear()
  forge.next = { status: 'queued', runner_name: null }
  const first = await ground.make(state, forge.url)
  const run = (...args: readonly string[]): Promise<Ran> =>
    start(dataDir, forge.url, ground.kubeconfig, ...args).ended
  const left = async (): Promise<readonly string[]> =>
    (await ground.cluster.api.request('GET', runnersPath)).body.items.map(
      ({ metadata }: Json) => metadata.name,
    )
  const plan = async (...args: readonly string[]) => {
    const { out, err } = await run('fix', remedy, ...args)
    const [, hash] = /--apply ([0-9a-f]{64})/.exec(out) ?? []
    if (hash === undefined) throw new Error(`no plan: ${out}${err}`)
    const names = [...out.matchAll(/^ {2}arc-runners\/([\w-]+):/gm)].map(([, name = '']) => name)
    return { hash, out, names }
  }
  return { first, run, left, plan }
}

/** The listener names a pull secret that its namespace lacks; a runner has pulled with the runners' copy. */
async function refusedPull(bench: Bench): Promise<{ readonly listenerPod: Json; readonly source: Json }> {
  const { api } = bench.ground.cluster
  const listeners = '/apis/actions.github.com/v1alpha1/namespaces/arc-systems/autoscalinglisteners'
  const [listener] = (await api.request('GET', listeners)).body.items
  const imagePullSecrets = [{ name: 'ghcr-pull' }]
  await api.request(
    'PATCH',
    `${listeners}/${listener.metadata.name}`,
    { spec: { imagePullSecrets } },
    mergePatch,
  )
  const config = JSON.stringify({ auths: { 'ghcr.io': { auth: planted } } })
  const source = await expectMade(api, `${runners}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'ghcr-pull', namespace: 'arc-runners' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(config).toString('base64') },
  })
  const pod = await makePod(bench, `${runners}/pods`, 'r1', imagePullSecrets, null)
  const pulledAt = new Date(Date.now() + 2_000).toISOString().replace(/\.\d+Z/, 'Z')
  await expectMade(api, `${runners}/events`, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: 'r1.', namespace: 'arc-runners' },
    type: 'Normal',
    reason: 'Pulled',
    message: 'Successfully pulled image "ghcr.io/actions/actions-runner:2.330.0" in 3s',
    involvedObject: { kind: 'Pod', name: 'r1', namespace: 'arc-runners', uid: pod.metadata.uid },
    firstTimestamp: pulledAt,
    lastTimestamp: pulledAt,
  })
  const listenerPod = (await api.request('GET', `${systems}/pods/${listener.metadata.name}`)).body
  return { listenerPod, source }
}

async function makePod(
  { ground }: Bench,
  where: string,
  name: string,
  imagePullSecrets: readonly object[],
  state: object | null,
): Promise<Json> {
  const { api } = ground.cluster
  const image = 'ghcr.io/actions/actions-runner:2.330.0'
  const containers = [{ name: 'runner', image }]
  const pod = await expectMade(api, where, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'arc-runners' },
    spec: { schedulerName: 'holdfast.test/nobody', imagePullSecrets, containers },
  })
  if (state === null) return pod
  const containerStatuses = [{ name: 'runner', image, imageID: 'x', ready: true, restartCount: 0, state }]
  await api.request(
    'PATCH',
    `${where}/${name}/status`,
    { status: { phase: 'Running', containerStatuses } },
    mergePatch,
  )
  return pod
}
