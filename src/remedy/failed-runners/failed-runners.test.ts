import { describe, expect, it } from 'vitest'
import { failedRunners } from '../../domain/remedy/index.ts'
import { podFact, waitingState } from '../../domain/snapshot/testing/facts.ts'
import { problemsOf } from '../../domain/trail/index.ts'
import { applyPlan, failedRunnersTreatment, planFailedRunners } from '../index.ts'
import { digest, failedWorld, place, type RemedyWorld, someJob } from '../testing/world.ts'

const never = new AbortController().signal
const planOf = async (world: RemedyWorld) =>
  (await planFailedRunners(failedRunners, { sets: [place] }, world.deps(), never)).plan
const apply = (world: RemedyWorld, plan: Awaited<ReturnType<typeof planOf>>) =>
  applyPlan(failedRunnersTreatment(failedRunners, world.deps()), plan, world.deps(), never)

describe('failed runners', () => {
  it('are removed one by one, their cause stands in the plan, and their slots are free', async () => {
    const world = failedWorld(3)
    const plan = await planOf(world)
    expect(plan.objects.map(({ name, why }) => [name, why])).toEqual([
      ['r1', expect.stringMatching(/InvalidPod: .*violates PodSecurity.*fails again/)],
      ['r2', expect.stringMatching(/InvalidPod/)],
      ['r3', expect.stringMatching(/InvalidPod/)],
    ])
    expect(world.acts).toEqual([])
    expect(await apply(world, plan)).toMatchObject({
      state: 'done',
      treated: ['arc-runners/r1', 'arc-runners/r2', 'arc-runners/r3'],
    })
    expect([world.runners.size, world.lostJobs]).toEqual([0, []])
    expect(problemsOf(world.trail.kept, await world.trail.head(), digest)).toEqual([])
  })

  it('are planned as well where a pod waits, and the forge lists the runner as free', async () => {
    const world = failedWorld(1)
    withWaitingPod(world)
    world.atForge.set('r1', { id: 7, isOnline: false, busySince: null })
    expect((await planOf(world)).objects).toHaveLength(1)
  })

  it('are let be among runners that work', async () => {
    const world = failedWorld(1)
    world.addRunner('r2')
    const { objects, skipped } = await planOf(world)
    expect(objects.map(({ name }) => name)).toEqual(['r1'])
    expect(skipped).toEqual([{ ...place, name: 'r2', why: 'its phase is Running, not Failed' }])
  })

  it.each<[string, (world: RemedyWorld) => void, RegExp]>([
    ['names a job', (world) => world.change('r1', { job: someJob }), /no-job-in-cluster/],
    ['has a pod that has started', (world) => world.startPod('r1'), /no-started-container/],
    ['is busy at the forge', busy, /not-busy-at-forge: forge: .*busy true/],
    ['has a pod, and the forge does not list it', withWaitingPod, /absence is no proof, since it has a pod/],
    ['had pods, and the forge does not list it', withEarlierPod, /absence is no proof, since 1 pods/],
    ['states no cause', (world) => world.change('r1', { reason: null, message: null }), /cause-stated/],
    ['lost ARC’s finalizer', (world) => world.stripFinalizers('r1'), /finalizer-of-arc/],
  ])('of which one %s: it is left alone, and the reason is named', async (_, change, why) => {
    const world = failedWorld(2)
    change(world)
    const { objects, skipped } = await planOf(world)
    expect(objects.map(({ name }) => name)).toEqual(['r2'])
    expect(skipped).toEqual([expect.objectContaining({ name: 'r1', why: expect.stringMatching(why) })])
  })

  it.each<[string, (world: RemedyWorld) => void, RegExp]>([
    ['its pod started', (world) => world.startPod('r1'), /no-started-container/],
    ['it is no longer Failed', (world) => world.change('r1', { phase: 'Running' }), /still-failed/],
    ['another runner failed', (world) => world.addFailed('r9'), /cause-not-back \(r9 failed since/],
    ['the forge calls it busy', busy, /not-busy-at-forge/],
  ])('are not touched where after the plan %s', async (_, change, why) => {
    const world = failedWorld(2)
    const plan = await planOf(world)
    change(world)
    expect(await apply(world, plan)).toMatchObject({
      state: 'aborted',
      treated: [],
      outcome: expect.stringMatching(why),
    })
    expect(world.acts).toEqual([])
  })

  it('whose replacement fails again end the run, and a person is called', async () => {
    const world = failedWorld(1)
    const plan = await planOf(world)
    const reconcile = world.reconcile.bind(world)
    world.reconcile = () => {
      reconcile()
      if (world.runners.size === 0) world.addFailed('r9')
    }
    expect(await apply(world, plan)).toMatchObject({
      state: 'escalated',
      treated: ['arc-runners/r1'],
      outcome: expect.stringMatching(/cause-gone .*r9 failed since the plan: InvalidPod/),
    })
  })
})

function busy(world: RemedyWorld): void {
  world.atForge.set('r1', { id: 7, isOnline: true, busySince: 1 })
}

function withWaitingPod(world: RemedyWorld): void {
  const status = { name: 'runner', isReady: false, restarts: 0, imageId: null, lastState: null }
  const statuses = [{ ...status, state: waitingState('ContainerCreating') }]
  world.pods.set('r1', podFact('r1', { phase: 'Pending', statuses }))
}

function withEarlierPod(world: RemedyWorld): void {
  world.change('r1', { failures: [{ podUid: 'p1', at: null }] })
}
