import { describe, expect, it } from 'vitest'
import { listenerBlocker } from '../../domain/remedy/index.ts'
import { applyPlan, listenerBlockerTreatment, planListenerBlocker } from '../index.ts'
import { blockedWorld, place, type RemedyWorld, someJob } from '../testing/world.ts'

const never = new AbortController().signal
const planOf = async (world: RemedyWorld) =>
  (await planListenerBlocker(listenerBlocker, { sets: [place] }, world.deps(), never)).plan
const apply = (world: RemedyWorld, plan: Awaited<ReturnType<typeof planOf>>) =>
  applyPlan(listenerBlockerTreatment(listenerBlocker, world.deps()), plan, world.deps(), never)

describe('idle runners that keep a listener away', () => {
  it('go one by one, and then ARC makes the listener again', async () => {
    const world = blockedWorld(2)
    const plan = await planOf(world)
    expect(plan.objects.map(({ name }) => name)).toEqual(['r1', 'r2'])
    expect(await apply(world, plan)).toMatchObject({
      state: 'done',
      treated: ['arc-runners/r1', 'arc-runners/r2'],
    })
    expect([world.isListenerUp, world.lostJobs]).toEqual([true, []])
  })

  it.each<[string, (world: RemedyWorld) => void, RegExp]>([
    ['the listener is there', (world) => world.raiseListener(), /has a listener/],
    ['another of them is busy', (world) => world.startJob('r2'), /all-free: .*r2/],
    ['the forge does not list another', (world) => void world.atForge.delete('r2'), /all-free: .*r2/],
    ['another is held by its job while it is being deleted', deleteBusy, /all-free: .*r2/],
    ['it is offline while its container runs', (world) => world.goOffline('r1'), /started-container/],
    ['it has a job in its status', (world) => world.change('r1', { job: someJob }), /no-job-in-cluster/],
    ['it lost ARC’s finalizer', (world) => world.stripFinalizers('r1'), /finalizer-of-arc/],
  ])('stay where %s', async (_, change, why) => {
    const world = blockedWorld(2)
    change(world)
    const { objects, skipped } = await planOf(world)
    expect(objects.map(({ name }) => name)).not.toContain('r1')
    expect(skipped).toContainEqual(expect.objectContaining({ name: 'r1', why: expect.stringMatching(why) }))
  })

  it('go where another is being deleted, which the forge has forgotten', async () => {
    const world = blockedWorld(2)
    world.requestDeletion('r2')
    world.atForge.delete('r2')
    expect((await planOf(world)).objects.map(({ name }) => name)).toEqual(['r1'])
  })

  it.each<[string, (world: RemedyWorld) => void, RegExp]>([
    ['the listener came', (world) => world.raiseListener(), /still-blocking/],
    ['another of them got a job', (world) => world.startJob('r2'), /all-free/],
    ['ARC made a runner', (world) => void world.addRunner('r9'), /not-remade/],
  ])('are not touched where after the plan %s', async (_, change, why) => {
    const world = blockedWorld(2)
    const plan = await planOf(world)
    change(world)
    expect(await apply(world, plan)).toMatchObject({ state: 'aborted', outcome: expect.stringMatching(why) })
    expect(world.acts).toEqual([])
  })

  it('call a person where they went and no listener comes', async () => {
    const world = blockedWorld(1)
    const plan = await planOf(world)
    world.isBlocked = false
    expect(await apply(world, plan)).toMatchObject({
      state: 'escalated',
      outcome: expect.stringMatching(/listener-running/),
    })
  })
})

function deleteBusy(world: RemedyWorld): void {
  world.startJob('r2')
  world.requestDeletion('r2')
}
