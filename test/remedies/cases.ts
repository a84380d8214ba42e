import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ground, Json } from './ground.ts'
import { runnersPath } from './ground.ts'
import { type Ran, start } from './holdfast.ts'
import { restartApiServer } from './restart.ts'
import type { ForgeStandIn } from './stand-ins.ts'

export interface Bench {
  readonly ground: Ground
  readonly forge: ForgeStandIn
  readonly folder: string
  readonly say: (line: string) => void
}

export type Case = (bench: Bench) => Promise<void>

const chosen = ['reap', '--scale-set', 'arc-runners/arc-demo', '--min-age-seconds', '0']
const rolePath = '/apis/rbac.authorization.k8s.io/v1/namespaces/arc-runners/roles/holdfast-remedy'
const mergePatch = 'application/merge-patch+json'

/** Each case begins with two idle runners, of which one is wanted no more. */
export const cases: Readonly<Record<string, Case>> = {
  async 'the true case: planned, applied, proven, and the trail holds'(bench) {
    const { run, plan, left, first } = await leaking(bench)
    const { hash, out, names } = await plan()
    bench.say(out)
    assert.equal(names.length, 1)
    assert.equal((await left()).length, 2)
    const applied = await run('reap', '--apply', hash)
    bench.say(applied.out)
    assert.equal(applied.code, 0, applied.out + applied.err)
    assert.deepEqual(
      await left(),
      first.filter((name) => !names.includes(name)),
    )
    const verified = await run('trail', 'verify')
    bench.say(verified.out)
    assert.equal(verified.code, 0)
    assert.equal((await run('reap', '--apply', hash)).code, 5)
    assert.match((await run(...chosen)).out, /Nothing to reap/)
  },

  async 'a job between plan and apply that only the forge knows of: nothing is touched'(bench) {
    const { run, plan, left } = await leaking(bench)
    const { hash, names } = await plan()
    for (const name of names) bench.forge.busy.add(name)
    const { code, out } = await run('reap', '--apply', hash)
    assert.equal(code, 8, out)
    assert.match(out, /not-busy-at-forge/)
    assert.equal((await left()).length, 2)
  },

  async 'a job that the cluster knows of after the forge was asked: nothing is touched'(bench) {
    const { run, plan, left } = await leaking(bench)
    const { hash } = await plan()
    const { api } = bench.ground.cluster
    const written: Promise<unknown>[] = []
    bench.forge.onAnswered = (name) =>
      void written.push(
        api.request('PATCH', `${runnersPath}/${name}/status`, { status: { jobRequestId: 7 } }, mergePatch),
      )
    const { code, out } = await run('reap', '--apply', hash)
    await Promise.all(written)
    assert.notEqual(code, 0, out)
    assert.equal((await left()).length, 2)
  },

  async 'a job in the last moment that only the forge knows of: it ends in peace, and then the runner goes'(
    bench,
  ) {
    const { start: begin, plan, left } = await leaking(bench)
    const { hash, names } = await plan()
    const [name = ''] = names
    bench.forge.onAnswered = () => void bench.forge.busy.add(name)
    const running = begin('reap', '--apply', hash)
    await until(async () => (await object(bench, name))?.metadata.deletionTimestamp !== undefined)
    await sleep(3_000)
    assert.ok((await left()).includes(name), 'it is held while its job runs')
    bench.forge.onAnswered = () => {}
    bench.forge.busy.delete(name)
    const { code, out } = await running.ended
    assert.equal(code, 0, out)
    assert.equal((await left()).length, 1)
  },

  async 'two operators with the same plan: one deletion, one proof'(bench) {
    const { start: begin, plan, left, dataDir } = await leaking(bench)
    const { hash } = await plan()
    const other = `${dataDir}-other`
    cpSync(dataDir, other, { recursive: true })
    const { url } = bench.forge
    const second = start(other, url, bench.ground.kubeconfig, 'reap', '--apply', hash)
    const ends = await Promise.all([begin('reap', '--apply', hash).ended, second.ended])
    const codes = ends.map(({ code }) => code)
    assert.ok(codes.includes(0), JSON.stringify(ends))
    assert.ok(
      codes.every((code) => code === 0 || code === 8),
      JSON.stringify(ends),
    )
    assert.equal((await left()).length, 1)
  },

  async 'a program that is killed after its act: the plan is used up, and nothing is done twice'(bench) {
    const { start: begin, run, plan, left } = await leaking(bench)
    const { hash, names } = await plan()
    const [name = ''] = names
    bench.forge.onAnswered = () => void bench.forge.busy.add(name)
    const running = begin('reap', '--apply', hash)
    await until(async () => (await object(bench, name))?.metadata.deletionTimestamp !== undefined)
    running.child.kill('SIGKILL')
    await running.ended
    const again = await run('reap', '--apply', hash)
    assert.equal(again.code, 5, again.out + again.err)
    assert.match(again.out, /plan-unused/)
    assert.equal((await run('trail', 'verify')).code, 0)
    assert.match((await run('trail', 'list')).out, /re-checked/)
    assert.equal((await left()).length, 2)
  },

  async 'the API server restarted in the middle: what was begun is proven, nothing else is done'(bench) {
    const { start: begin, plan, left } = await leaking(bench)
    const { hash, names } = await plan()
    const [name = ''] = names
    bench.forge.onAnswered = () => void bench.forge.busy.add(name)
    const running = begin('reap', '--apply', hash)
    await until(async () => (await object(bench, name))?.metadata.deletionTimestamp !== undefined)
    const { cluster } = bench.ground
    await restartApiServer(cluster)
    bench.forge.onAnswered = () => {}
    bench.forge.busy.delete(name)
    const { code, out } = await running.ended
    assert.equal(code, 0, out)
    assert.equal((await left()).length, 1)
  },

  async 'without the right to delete: refused by the cluster, and said so'(bench) {
    const { run, plan, left } = await leaking(bench)
    const { api } = bench.ground.cluster
    const { hash } = await plan()
    const role = (await api.request('GET', rolePath)).body
    const rules = role.rules.filter(({ verbs }: Json) => !verbs.includes('delete'))
    await api.request('PATCH', rolePath, { rules }, mergePatch)
    await sleep(1_000)
    try {
      const { code, out } = await run('reap', '--apply', hash)
      assert.equal(code, 8, out)
      assert.match(out, /not done: .*cannot delete/s)
    } finally {
      await api.request('PATCH', rolePath, { rules: role.rules }, mergePatch)
    }
    assert.equal((await left()).length, 2)
  },
}

let folders = 0

async function leaking({ ground, forge, folder }: Bench) {
  folders += 1
  const dataDir = path.join(folder, `data-${folders}`)
  forge.onAnswered = () => {}
  forge.busy.clear()
  const first = await ground.leak(forge.url)
  forge.registered.clear()
  for (const name of first) forge.registered.add(name)
  const begin = (...args: readonly string[]) => start(dataDir, forge.url, ground.kubeconfig, ...args)
  const run = (...args: readonly string[]): Promise<Ran> => begin(...args).ended
  const left = async (): Promise<readonly string[]> =>
    (await ground.cluster.api.request('GET', runnersPath)).body.items.map(
      ({ metadata }: Json) => metadata.name,
    )
  const plan = async () => {
    const { out, err } = await run(...chosen)
    const [, hash] = /reap --apply ([0-9a-f]{64})/.exec(out) ?? []
    if (hash === undefined) throw new Error(`no plan: ${out}${err}`)
    const names = [...out.matchAll(/^ {2}arc-runners\/([\w-]+) idle-leak/gm)].map(([, name = '']) => name)
    return { hash, out, names }
  }
  return { dataDir, first, start: begin, run, left, plan }
}

async function object({ ground }: Bench, name: string): Promise<Json> {
  const answer = await ground.cluster.api.request('GET', `${runnersPath}/${name}`).catch(() => null)
  return answer?.status === 200 ? answer.body : undefined
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return
    await sleep(150)
  }
  throw new Error('it did not come to pass within 30 s')
}
