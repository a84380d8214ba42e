import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import type { RunnerRow } from './ledger.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const soonMs = 60_000

describe('a runner that dies on a real node', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld('deaths')
    await (await world.holdfast()).serving
    await world.pool('linux', { idleTimeoutSeconds: 2, resources: { limits: { memory: '192Mi' } } })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  /** Submits a job and waits until it runs; gives its runner. */
  async function running(script: string): Promise<RunnerRow> {
    const known = new Set((await world.rows.runners()).map(({ name }) => name))
    await world.submit(script)
    return until('the job runs', soonMs, async () =>
      (await world.rows.runners()).find(({ name, state }) => state === 'busy' && !known.has(name)),
    )
  }
  const endOf = async ({ name }: RunnerRow) => (await world.rows.runner(name))?.record
  const pods = '/api/v1/namespaces/deaths/pods'

  it('of memory is known to have been killed by the kernel for it', async () => {
    // Many processes that are smaller than the runner: the kernel takes the largest.
    const small = 'dd if=/dev/zero bs=15M count=1 | sleep 60 &'
    const runner = await running(`sleep 1; for i in $(seq 12); do ${small} done; sleep 60`)
    await settled(world)
    expect(await endOf(runner)).toMatchObject({ class: 'container-oom', confidence: 'likely' })
  })

  it('because it filled its disk is known to have been evicted for it', async () => {
    await world.pool('linux', {
      idleTimeoutSeconds: 2,
      resources: { limits: { 'ephemeral-storage': '20Mi' } },
    })
    const runner = await running('sleep 1; dd if=/dev/zero of=full bs=1M count=60; sleep 120')
    await settled(world, {}, 180_000)
    expect(await endOf(runner)).toMatchObject({ class: 'evicted-ephemeral-storage', confidence: 'proven' })
  })

  it('since somebody deleted its pod says so, and its job does not stay behind', async () => {
    const runner = await running('sleep 120')
    await world.cluster.api.request('DELETE', `${pods}/${runner.name}`)
    await settled(world)
    const record = await endOf(runner)
    expect(record).toMatchObject({ ending: { stopRequestedBy: null } })
    expect(record.ending.pod.deletedAt).not.toBeNull()
    expect(record.because.join(' ')).toMatch(/asked to go; not by this Holdfast/)
  })

  it('since somebody force-deleted its pod still has its record', async () => {
    const runner = await running('sleep 120')
    await world.cluster.api.request('DELETE', `${pods}/${runner.name}?gracePeriodSeconds=0`)
    await settled(world)
    expect((await endOf(runner)).ending.pod.place.pod).toBe(runner.name)
  })

  it('since somebody tore out its finalizer and its pod still has its record', async () => {
    const runner = await running('sleep 120')
    const patch = { metadata: { finalizers: null } }
    await world.cluster.api.request(
      ...(['PATCH', `${pods}/${runner.name}`, patch, 'application/merge-patch+json'] as const),
    )
    await world.cluster.api.request('DELETE', `${pods}/${runner.name}?gracePeriodSeconds=0`)
    await settled(world)
    expect((await endOf(runner)).ending.pod.place.pod).toBe(runner.name)
  })
})
