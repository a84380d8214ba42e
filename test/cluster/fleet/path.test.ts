import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

describe('a pool on a real cluster', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld('path')
    await (await world.holdfast()).serving
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  const endOf = async (job: number) => {
    const { jobs } = await world.forge.truth()
    return jobs.find(({ id }) => id === job)?.conclusion
  }

  it('runs a job from its webhook to the sealed end of its pod', async () => {
    await world.pool('linux', { idleTimeoutSeconds: 2 })
    const job = await world.submit('echo hello; sleep 1')
    await settled(world)
    expect(await endOf(job)).toBe('success')
    const [runner] = await world.rows.runners()
    expect(runner?.record).toMatchObject({
      class: 'clean',
      ending: { exitCode: 0, pod: { place: { pod: runner?.name, node: expect.stringMatching(/^node-/) } } },
    })
    expect(runner?.record.ending.tail.length).toBeLessThanOrEqual(1_024) // what is clean is kept in short
  })

  it("tells in the job's own log where it ran", async () => {
    const job = await world.submit('true')
    await settled(world)
    const log = await world.log(job)
    const runner = (await world.rows.runners()).at(-1)
    const { node } = runner?.record.ending.pod.place ?? {}
    expect(node).toMatch(/^node-/)
    for (const word of ['linux', runner?.name, `Node: ${node}`, 'sim-runner', '/jobs/'])
      expect(log).toContain(word)
  })

  it.each(['isolated', 'single'])('runs and fails jobs in the shape %s', async (shape) => {
    await world.pool(shape, { shape, idleTimeoutSeconds: 2 })
    const good = await world.submit('exit 0', shape)
    const bad = await world.submit('exit 3', shape)
    await settled(world)
    expect([await endOf(good), await endOf(bad)]).toEqual(['success', 'failure'])
    await world.removePool(shape)
    await until(`pool ${shape} is gone`, 30_000, async () => (await world.readPool(shape)).kind === 'Status')
  })

  it('meets a burst with as many runners as there are jobs, and goes back to none', async () => {
    await world.pool('linux', { idleTimeoutSeconds: 2, maxRunners: 6 })
    const before = (await world.rows.runners()).length
    const jobs = await Promise.all(Array.from({ length: 30 }, () => world.submit('sleep 1')))
    await settled(world)
    for (const job of jobs) expect(await endOf(job)).toBe('success')
    expect((await world.rows.runners()).length - before).toBe(30)
  })

  it('keeps its runners behind a network policy', async () => {
    const path = '/apis/networking.k8s.io/v1/namespaces/path/networkpolicies/holdfast-runners'
    const { status, body } = await world.cluster.api.request('GET', path)
    expect([status, body.metadata?.managedFields?.[0].manager]).toEqual([200, 'holdfast'])
  })

  it('shows how the pool fares', async () => {
    const { status } = await until('the pool rests', 20_000, async () => {
      const pool = await world.readPool('linux')
      return pool.status?.idle === 0 && pool.status?.busy === 0 && pool
    })
    expect(status.observedGeneration).toBeGreaterThan(0)
    const ready = status.conditions.find(({ type }: { type: string }) => type === 'Ready')
    expect(ready).toMatchObject({ status: 'True', message: expect.stringMatching(/\w/) })
  })
})
