import { describe, expect, it } from 'vitest'
import { type HandoffScope, handoff } from '../../domain/remedy/index.ts'
import { minuteMs } from '../../domain/snapshot/testing/facts.ts'
import { applyPlan, handoffTreatment, planHandoff } from '../index.ts'
import { handoffWorld, place, type RemedyWorld } from '../testing/world.ts'

const never = new AbortController().signal
const scope: HandoffScope = { sets: [place], repository: null, minWaitMs: 5 * minuteMs, withoutWorker: [] }
const planOf = async (world: RemedyWorld, given: Partial<HandoffScope> = {}) =>
  (await planHandoff(handoff, { ...scope, ...given }, world.deps(), never)).plan
const apply = (world: RemedyWorld, plan: Awaited<ReturnType<typeof planOf>>) =>
  applyPlan(handoffTreatment(handoff, world.deps()), plan, world.deps(), never)

describe('the runner that keeps a lane of one', () => {
  it('goes alone, and the job that waited is seen to start', async () => {
    const world = handoffWorld()
    const plan = await planOf(world)
    expect(plan.objects).toMatchObject([{ name: 'r1', next: { repository: 'acme/web', jobId: 42 } }])
    expect(plan.objects[0]?.evidence.join()).toMatch(
      /lane-of-one: maxRunners 1.*replacement-queued: .*queued.*no-worker: .*online and free.*busy false/,
    )
    expect(await apply(world, plan)).toMatchObject({ state: 'done', treated: ['arc-runners/r1'] })
    expect([world.acts.length, world.lostJobs]).toEqual([1, []])
    expect(world.jobs.get(42)).toMatchObject({ status: 'in_progress', runnerName: 'replacement' })
  })

  it.each<[string, (world: RemedyWorld) => void, RegExp]>([
    ['has room for more', (world) => world.widenLane(), /no lane of one/],
    ['has no job that waits', (world) => world.leaveQueue(null), /no job waits/],
    ['has a job that waits for other labels', (world) => waiting(world, { labels: ['gpu'] }), /no job waits/],
    ['has a job of another owner', (world) => waiting(world, { repository: 'other/web' }), /no job waits/],
    [
      'has a job that came just now',
      (world) => waiting(world, { queuedAt: world.now }),
      /replacement-queued/,
    ],
    ['is busy at the forge', (world) => world.startJob('r1'), /not-busy-at-forge/],
    ['is offline at the forge', (world) => world.goOffline('r1'), /no-worker: .*cannot be seen from here/],
    ['is not listed by the forge', (world) => void world.atForge.delete('r1'), /absence is no proof/],
    ['has just come', (world) => world.change('r1', { createdAt: world.now }), /about to take the job/],
    ['lost ARC’s finalizer', (world) => world.stripFinalizers('r1'), /finalizer-of-arc/],
  ])('stays where it %s', async (_, change, why) => {
    const world = handoffWorld()
    change(world)
    const { objects, skipped } = await planOf(world)
    expect(objects).toEqual([])
    expect(skipped).toEqual([expect.objectContaining({ name: 'r1', why: expect.stringMatching(why) })])
  })

  it('may be offline where the operator looked for a Worker, and the plan says so', async () => {
    const world = handoffWorld()
    world.goOffline('r1')
    const { objects } = await planOf(world, { withoutWorker: ['r1'] })
    expect(objects[0]?.evidence.join()).toContain('the operator looked')
  })

  it.each<[string, (world: RemedyWorld) => void, RegExp]>([
    ['the lane was widened', (world) => world.widenLane(), /lane-of-one/],
    [
      'the job that waited was cancelled',
      (world) => world.leaveQueue(null),
      /replacement-queued .*completed/,
    ],
    ['it took a job', (world) => world.startJob('r1'), /not-busy-at-forge/],
    ['it went offline', (world) => world.goOffline('r1'), /no-worker/],
  ])('is not touched where after the plan %s', async (_, change, why) => {
    const world = handoffWorld()
    const plan = await planOf(world)
    change(world)
    expect(await apply(world, plan)).toMatchObject({ state: 'aborted', outcome: expect.stringMatching(why) })
    expect(world.acts).toEqual([])
  })

  it('calls a person where it went and the job does not start', async () => {
    const world = handoffWorld()
    const plan = await planOf(world)
    const { acts } = world
    world.disturb = () => {
      if (acts.length > 0) world.isListenerUp = false
    }
    expect(await apply(world, plan)).toMatchObject({
      state: 'escalated',
      outcome: expect.stringMatching(/replacement-started .*queued, on no runner/),
    })
  })
})

function waiting(world: RemedyWorld, given: object): void {
  const job = world.jobs.get(42)
  if (job !== undefined) world.jobs.set(42, { ...job, ...given })
}
