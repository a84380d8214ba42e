import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

/** Thirty pods on nodes that share two processors with everything else. */
const burstWithinMs = 240_000

describe('a pool on a real cluster', () => {
  let world: World
  let url: string
  beforeAll(async () => {
    world = await openWorld('path')
    const life = await world.holdfast()
    await life.serving
    url = life.url
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  /** Requests that changed or reviewed something of a kind so far, by Holdfast's own count. */
  const written = async (kind: string) => {
    const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
    const counted = lines.filter(
      (line) =>
        line.startsWith('holdfast_cluster_requests_total{') &&
        line.includes(`kind="${kind}"`) &&
        /verb="(create|update|patch|delete)"/.test(line),
    )
    return counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }

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

  it("says in the job's own log where it ran", async () => {
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
    const [podsBefore, reviewsBefore] = [await written('pods'), await written('tokenreviews')]
    const jobs = await Promise.all(Array.from({ length: 30 }, () => world.submit('sleep 1')))
    await settled(world, {}, burstWithinMs)
    for (const job of jobs) expect(await endOf(job)).toBe('success')
    expect((await world.rows.runners()).length - before).toBe(30)
    const [podWrites, reviews] = [
      (await written('pods')) - podsBefore,
      (await written('tokenreviews')) - reviewsBefore,
    ]
    console.log(`${podWrites} writes of pods and ${reviews} reviews of tokens for 30 runners`)
    // Tokens are verified on the spot. One that comes before the view has its pod, or after it went, costs a review.
    expect(reviews).toBeLessThan(6)
    expect((podWrites + reviews) / 30).toBeLessThan(4.5)
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
