import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import type { Life } from './holdfast.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

/** From the row to the pod that is gone, and each twice: before it took effect, and before its answer was used. */
const steps = [
  'ledger.enrolAll',
  'host.start',
  'ledger.claim',
  'ledger.deliver',
  'host.protect',
  'host.ending',
  'ledger.sealDeath',
  'host.release',
  'ledger.fence',
  'host.stop',
].flatMap((call) => [`${call}:before:1`, `${call}:after:1`])
const metWithinMs = 60_000

describe('Holdfast itself, on a real cluster', () => {
  let world: World
  let lives: Life[] = []
  beforeAll(async () => {
    world = await openWorld('controllers', { own: 'its API server is killed' })
    await world.pool('linux', { idleTimeoutSeconds: 1, minWarm: 1 })
  })
  afterEach(async () => {
    for (const life of lives) life.signal('SIGTERM')
    await Promise.all(lives.map(({ exited }) => exited))
    lives = []
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  async function start(options: Parameters<World['holdfast']>[0] = {}): Promise<Life> {
    const life = await world.holdfast(options)
    lives.push(life)
    // A step may be met in its first instant, before it says that it serves.
    await (options.crashAt === undefined ? life.serving : Promise.race([life.serving, life.exited]))
    return life
  }

  it.each(steps)('killed at %s leaves nothing that its next life does not put right', async (crashAt) => {
    const doomed = await start({ crashAt })
    await world.submit('sleep 1')
    if (/fence|stop/.test(crashAt)) {
      await settled(world, { warm: 1 })
      await world.pool('linux', { idleTimeoutSeconds: 1, minWarm: 0 })
    }
    const { signal } = await Promise.race([
      doomed.exited,
      new Promise<never>((_, reject) =>
        setTimeout(() => reject(new Error(`${crashAt} was not met`)), metWithinMs).unref(),
      ),
    ])
    expect(signal).toBe('SIGKILL')
    await start()
    await world.pool('linux', { idleTimeoutSeconds: 1, minWarm: 1 })
    await settled(world, { warm: 1 })
  })

  it('outlives an API server that is restarted amid a burst', async () => {
    await start()
    await world.pool('linux', { idleTimeoutSeconds: 1, maxRunners: 6 })
    await settled(world)
    const jobs = await Promise.all(Array.from({ length: 12 }, () => world.submit('sleep 2')))
    await until('the burst is under way', metWithinMs, async () =>
      (await world.rows.jobs()).some(({ state }) => state === 'running'),
    )
    await world.cluster.parts.kill('apiserver')
    await world.cluster.startAgain('apiserver')
    await settled(world)
    const { jobs: truth } = await world.forge.truth()
    for (const id of jobs) expect(truth.find((job) => job.id === id)).toMatchObject({ conclusion: 'success' })
  })

  it('is led by one of two, makes nothing twice, and goes on when that one dies', async () => {
    const before = (await world.rows.runners()).length
    const [first] = [await start(), await start({ name: 'second' })]
    const jobs = await Promise.all(Array.from({ length: 6 }, () => world.submit('sleep 4')))
    await until('jobs run', metWithinMs, async () =>
      (await world.rows.jobs()).some(({ state }) => state === 'running'),
    )
    first.signal('SIGKILL')
    await first.exited
    await start()
    await settled(world)
    const { jobs: truth } = await world.forge.truth()
    for (const id of jobs) expect(truth.find((job) => job.id === id)).toMatchObject({ conclusion: 'success' })
    expect((await world.rows.runners()).length - before).toBe(jobs.length)
  })
})
