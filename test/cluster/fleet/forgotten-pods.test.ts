import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import type { Life } from './holdfast.ts'
import type { RunnerRow } from './ledger.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const soonMs = 150_000
const pods = '/api/v1/namespaces/seed/pods'
/** Seconds instead of minutes. */
const env = { HOLDFAST_RECOVERY_STRAY_GRACE_MS: '4000' }
/** Long enough for Holdfast to start again and to be past the grace while the job runs. */
const longJob = 'sleep 150'

/** The ledger has forgotten a runner and what it was given: its claim was released behind its back. */
const forget = (name: string) =>
  [
    ['delete from attempts where runner_id = (select id from runners where name = $1)', name],
    ['delete from runners where name = $1', name],
  ] as const

/** The ledger says that a runner ended, with a record of it, while its pod is there. */
const declareEnded = (name: string) =>
  [
    ['delete from attempts where runner_id = (select id from runners where name = $1)', name],
    [
      `with sealed as (
         insert into evidence (kind, runner_id, record)
         select 'runner-death', id, '{"class": "unknown", "because": ["by hand"], "ending": null}' from runners
          where name = $1 returning id, runner_id)
       update runners set state = 'ended', ended_at = now(), evidence_id = sealed.id, reason = 'by hand'
         from sealed where runners.id = sealed.runner_id`,
      name,
    ],
  ] as const

describe('pods of ours that the ledger does not count on (docs/incidents/live-runner-removed.md)', () => {
  let world: World
  let life: Life
  beforeAll(async () => {
    world = await openWorld('seed')
    life = await world.holdfast({ env })
    await life.serving
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  const readPod = async (name: string) => (await world.cluster.api.request('GET', `${pods}/${name}`)).body
  const isGone = async (name: string) => (await readPod(name)).kind === 'Status'
  const gone = (name: string) => until(`pod ${name} is gone`, soonMs, () => isGone(name))
  const endOf = async (job: number) => (await world.forge.truth()).jobs.find(({ id }) => id === job)

  async function running(pool: string, script: string): Promise<{ runner: RunnerRow; job: number }> {
    const known = new Set((await world.rows.runners()).map(({ name }) => name))
    const job = await world.submit(script, pool)
    const runner = await until(`job ${job} runs`, soonMs, async () =>
      (await world.rows.runners()).find(({ name, state }) => state === 'busy' && !known.has(name)),
    )
    return { runner, job }
  }

  /** A pod exactly as Holdfast makes them, but of a runner that it never enrolled, and with this changed in it. */
  async function madeByNobody(name: string, like: string, spec: object, poller: object): Promise<void> {
    const { metadata, spec: its } = await readPod(like)
    const { labels, annotations, finalizers } = metadata
    const initContainers = its.initContainers.map((one: { name: string }) =>
      one.name === 'poller' ? { ...one, ...poller } : one,
    )
    const { nodeName: _, ...unplaced } = its
    const answer = await world.cluster.api.request('POST', pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { ...labels, 'holdfast.dev/runner': name }, annotations, finalizers },
      spec: { ...unplaced, ...spec, initContainers },
    })
    if (answer.status !== 201) throw new Error(answer.text)
  }

  async function idleRunner(pool: string): Promise<string> {
    const runner = await until(`a runner of ${pool} polls`, soonMs, async () =>
      (await world.rows.runners()).find((row) => row.pool === pool && row.state === 'polling'),
    )
    return runner.name
  }

  async function stopHoldfast(): Promise<void> {
    life.signal('SIGTERM')
    await life.exited
  }

  async function startHoldfast(): Promise<void> {
    life = await world.holdfast({ env })
    await life.serving
  }

  it('of a mixed batch only those are removed whose program never started, and each end is sealed once', async () => {
    await world.pool('linux', { idleTimeoutSeconds: 2 })
    await world.pool('mac', { shape: 'single', idleTimeoutSeconds: 2 })
    await world.pool('warm', { minWarm: 1, maxRunners: 1 })
    const idle = await idleRunner('warm')
    const [ended, forgotten, single, brief] = [
      await running('linux', longJob),
      await running('linux', longJob),
      await running('mac', longJob),
      await running('linux', 'sleep 3'),
    ]
    const live = [ended, forgotten, single].map(({ runner }) => runner.name)
    await stopHoldfast()
    const uids = await Promise.all(live.map(async (name) => (await readPod(name)).metadata.uid))
    await until('the brief one has ended', soonMs, async () => {
      return (await readPod(brief.runner.name)).status.phase === 'Succeeded'
    })
    await madeByNobody('warm-00000001', idle, {}, { command: ['sleep', '100000'] })
    await madeByNobody('warm-00000002', idle, { nodeSelector: { no: 'where' } }, {})
    await until('the waiting one waits', soonMs, async () => {
      const { status } = await readPod('warm-00000001')
      const poller = status.initContainerStatuses?.find(({ name }: { name: string }) => name === 'poller')
      return poller?.state.running && status.containerStatuses[0].state.waiting
    })
    expect((await readPod('warm-00000002')).status.containerStatuses).toBeUndefined()
    await world.rows.tamper(
      ...declareEnded(ended.runner.name),
      ...[forgotten, single, brief].flatMap(({ runner }) => forget(runner.name)),
      ...forget(idle),
    )

    await startHoldfast()
    for (const name of ['warm-00000001', 'warm-00000002', brief.runner.name]) await gone(name)
    await gone(idle) // it was refused when it asked, and left by itself
    for (const [at, name] of live.entries()) {
      const { metadata, status } = await readPod(name)
      expect([name, metadata?.uid, metadata?.deletionTimestamp]).toEqual([name, uids[at], undefined])
      expect(status.containerStatuses[0]).toMatchObject({ name: 'runner', started: true })
    }

    await world.pool('warm', { minWarm: 0, maxRunners: 1, idleTimeoutSeconds: 2 })
    await settled(world, {}, 240_000)
    for (const { job } of [ended, forgotten, single, brief]) {
      expect(await endOf(job)).toMatchObject({ conclusion: 'success', starts: [expect.anything()] })
    }
    const all = [...live, brief.runner.name, idle, 'warm-00000001', 'warm-00000002']
    for (const name of all) expect([name, await world.rows.deaths(name)]).toEqual([name, 1])
    const removed = await world.rows.decidedOn('orphaned-stamped-pod')
    expect(removed).toEqual(expect.arrayContaining(['warm-00000001', 'warm-00000002']))
    for (const name of [...live, brief.runner.name]) expect(removed).not.toContain(name)
  }, 600_000)

  it('and that wait are left alone before their grace is over, and those that are not ours for ever', async () => {
    await stopHoldfast()
    await world.pool('linux', { idleTimeoutSeconds: 2, minWarm: 1 })
    life = await world.holdfast() // with the grace of every day
    await life.serving
    const like = await idleRunner('linux')
    await madeByNobody('linux-00000003', like, {}, { command: ['sleep', '100000'] })
    const { spec } = await readPod(like)
    await world.cluster.api.request('POST', pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'linux-00000004' },
      spec: { containers: [{ ...spec.containers[0], volumeMounts: [], command: ['sleep', '100000'] }] },
    })
    await until('it was looked at and left', soonMs, async () =>
      (await life.log()).split('\n').some((line) => /linux-00000003.*too new/.test(line)),
    )
    await stopHoldfast()
    await startHoldfast()
    await gone('linux-00000003')
    expect(await readPod('linux-00000004')).toMatchObject({ kind: 'Pod' })
    expect((await readPod('linux-00000004')).metadata.deletionTimestamp).toBeUndefined()
    await settled(world, { warm: 1, others: ['linux-00000004'] })
  }, 600_000)
})
