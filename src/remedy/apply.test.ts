import { describe, expect, it } from 'vitest'
import { type ReapFacts, type ReapPlan, type Remedy, reap } from '../domain/remedy/index.ts'
import { minuteMs } from '../domain/snapshot/testing/facts.ts'
import { problemsOf } from '../domain/trail/index.ts'
import { applyPlan, planReap, reapTreatment } from './index.ts'
import { digest, leakingWorld, place, type ReapDeps, type RemedyWorld, someJob } from './testing/world.ts'

const never = new AbortController().signal
const scope = { sets: [place], isStaleGeneration: false, minAgeMs: 60 * minuteMs }
const planOf = async (world: RemedyWorld) => (await planReap(reap, scope, world.deps(), never)).plan
const applyBy = (deps: ReapDeps, plan: ReapPlan, remedy: Remedy<ReapFacts> = reap) =>
  applyPlan(reapTreatment(remedy, deps), plan, deps, never)
const apply = (world: RemedyWorld, plan: ReapPlan, remedy: Remedy<ReapFacts> = reap) =>
  applyBy(world.deps(), plan, remedy)
const steps = (world: RemedyWorld) => world.trail.kept.map(({ step }) => step)
const names = (world: RemedyWorld) => [...world.runners.keys()]

/** Lets the world change once, right before the call of this port. */
function changingBefore(world: RemedyWorld, port: 'readRunner' | 'removeRunner', change: () => void) {
  const deps = world.deps()
  let isChanged = false
  const once = () => {
    if (!isChanged) change()
    isChanged = true
  }
  const forge: typeof deps.forge = {
    ...deps.forge,
    readRunner: (...given) => {
      if (port === 'readRunner') once()
      return deps.forge.readRunner(...given)
    },
  }
  const cluster: typeof deps.cluster = {
    ...deps.cluster,
    removeRunner: (...given) => {
      if (port === 'removeRunner') once()
      return deps.cluster.removeRunner(...given)
    },
  }
  return { ...deps, forge, cluster }
}

describe('a plan that is applied', () => {
  it('removes the oldest of the excess one by one, each re-checked before and verified after', async () => {
    const world = leakingWorld(3)
    const plan = await planOf(world)
    expect(plan.objects.map(({ name }) => name)).toEqual(['r1', 'r2'])
    expect(names(world)).toHaveLength(3)
    expect(await apply(world, plan)).toMatchObject({
      state: 'done',
      treated: ['arc-runners/r1', 'arc-runners/r2'],
    })
    expect(names(world)).toEqual(['r3'])
    expect(steps(world)).toEqual([
      ...['classified', 'evidence-sealed', 'planned', 'approved', 're-checked', 'acted', 'verified'],
      ...['approved', 're-checked', 'acted', 'verified', 'done'],
    ])
    expect(problemsOf(world.trail.kept, await world.trail.head(), digest)).toEqual([])
  })

  it('is refused the second time, also by another operator', async () => {
    const world = leakingWorld(3)
    const plan = await planOf(world)
    await apply(world, plan)
    world.addRunner('r4')
    expect(await apply(world, plan)).toMatchObject({
      state: 'blocked',
      outcome: expect.stringMatching(/plan-unused/),
    })
    expect(world.acts).toHaveLength(2)
  })

  it('is refused when it is of yesterday, and when the clock went back', async () => {
    const world = leakingWorld(3)
    const plan = await planOf(world)
    for (const ms of [24 * 60 * minuteMs, -2 * 24 * 60 * minuteMs]) {
      world.now += ms
      expect(await apply(world, plan)).toMatchObject({
        state: 'blocked',
        outcome: expect.stringMatching(/plan-age/),
      })
    }
    expect(world.acts).toEqual([])
  })

  it('is refused in another cluster', async () => {
    const world = leakingWorld(3)
    const plan = await planOf(world)
    expect(await apply(world, { ...plan, site: 'other' })).toMatchObject({ state: 'blocked' })
  })
})

describe('a runner that changed after the plan', () => {
  it.each<[string, (world: RemedyWorld) => void, RegExp]>([
    ['has a job by the forge alone', (world) => world.startJob('r1'), /not-busy-at-forge/],
    ['has a job by the forge, and no listener runs', deafWithJob, /not-busy-at-forge/],
    ['has a job in its status', (world) => world.change('r1', { job: someJob }), /no-job-in-cluster/],
    ['was made again under its name', (world) => void world.addRunner('r1'), /same-object/],
    ['is wanted again', (world) => raise(world, 3), /still-eligible/],
    ['is being deleted by another', (world) => world.requestDeletion('r1'), /same-object/],
    ['lost ARC’s finalizer', (world) => world.stripFinalizers('r1'), /finalizer-of-arc/],
    ['is offline at the forge while its container runs', offline, /started-container/],
    ['is not listed by the forge', (world) => void world.atForge.delete('r1'), /absence is no proof/],
    ['cannot be asked about', forgeAway, /could not be read/],
    ['cannot be read', clusterAway, /could not be read/],
  ])('because it %s is not touched, nor any other', async (_, change, why) => {
    const world = leakingWorld(3)
    const plan = await planOf(world)
    change(world)
    const report = await apply(world, plan)
    expect(report).toMatchObject({ state: 'aborted', treated: [], outcome: expect.stringMatching(why) })
    expect(world.acts).toEqual([])
  })

  it('stops the run also where it is the second', async () => {
    const world = leakingWorld(4)
    const plan = await planOf(world)
    world.startJob('r2')
    expect(await apply(world, plan)).toMatchObject({ state: 'aborted', treated: ['arc-runners/r1'] })
    expect(names(world)).toEqual(['r2', 'r3', 'r4'])
  })
})

describe('a runner that gets its job between re-check and delete', () => {
  it('is not deleted where the cluster knows it already: the precondition fails', async () => {
    const world = leakingWorld(3)
    const plan = await planOf(world)
    const deps = changingBefore(world, 'removeRunner', () => {
      world.startJob('r1')
      world.reconcile()
    })
    expect(await applyBy(deps, plan)).toMatchObject({
      state: 'aborted',
      outcome: expect.stringMatching(/conflict/),
    })
    expect([world.acts, world.lostJobs]).toEqual([[], []])
  })

  it('keeps its job by ARC’s finalizer where only the forge knows it, and a person is called', async () => {
    const world = leakingWorld(3)
    const plan = await planOf(world)
    const deps = changingBefore(world, 'removeRunner', () => world.startJob('r1'))
    const report = await applyBy(deps, plan)
    expect(report).toMatchObject({
      state: 'escalated',
      treated: [],
      outcome: expect.stringMatching(/no-job-lost|gone-from-cluster/),
    })
    expect([names(world), world.lostJobs]).toEqual([['r1', 'r2', 'r3'], []])
  })
})

describe('a deletion whose answer is lost', () => {
  it('is not repeated: where it took effect the run goes on', async () => {
    const world = leakingWorld(2)
    const plan = await planOf(world)
    world.loseNextAnswer = 'after'
    expect(await apply(world, plan)).toMatchObject({ state: 'done', treated: ['arc-runners/r1'] })
    expect(world.acts).toHaveLength(1)
  })

  it('is not repeated: where it took none a person is called, since it may still arrive', async () => {
    const world = leakingWorld(2)
    const plan = await planOf(world)
    world.loseNextAnswer = 'before'
    expect(await apply(world, plan)).toMatchObject({
      state: 'escalated',
      outcome: expect.stringMatching(/not done; not repeated/),
    })
    expect(world.acts).toEqual([])
  })
})

describe('a deletion that the cluster refuses', () => {
  it('ends the run, and the reason is said', async () => {
    const world = leakingWorld(2)
    const plan = await planOf(world)
    const removeRunner = async () => Promise.reject(new Error('ada may not delete ephemeralrunners'))
    const deps = world.deps({ cluster: { ...world.cluster, removeRunner } })
    const report = await applyBy(deps, plan)
    expect(report).toMatchObject({ state: 'aborted', outcome: expect.stringContaining('may not delete') })
    expect(names(world)).toHaveLength(2)
  })
})

describe('the proof at the end', () => {
  it('calls a person where the listener does not run', async () => {
    const world = leakingWorld(2)
    world.isListenerUp = false
    const plan = await planOf(world)
    expect(await apply(world, plan)).toMatchObject({
      state: 'escalated',
      treated: ['arc-runners/r1'],
      outcome: expect.stringMatching(/listener-running/),
    })
  })

  it('calls a person where a finalizer does not come off, and strips none', async () => {
    const world = leakingWorld(2)
    const plan = await planOf(world)
    world.reconcile = () => {}
    const report = await apply(world, plan)
    expect(report).toMatchObject({
      state: 'escalated',
      outcome: expect.stringMatching(/held by .*registration-finalizer/),
    })
    expect(world.runners.get('r1')?.finalizers).toHaveLength(2)
  })
})

describe('the bounds', () => {
  const small: Remedy<ReapFacts> = {
    ...reap,
    bounds: { ...reap.bounds, objectsPerRunMax: 2, objectsPerHourMax: 3 },
  }

  it('hold for one run and for the hour', async () => {
    const world = leakingWorld(8)
    const first = await planReap(small, scope, world.deps(), never)
    expect(first.plan.objects).toHaveLength(2)
    expect(first.plan.skipped.map(({ why }) => why).join()).toContain('bounds')
    expect(await apply(world, first.plan, small)).toMatchObject({ state: 'done' })
    const second = await planReap(small, scope, world.deps(), never)
    expect(second.plan.objects).toHaveLength(1)
    world.now += 61 * minuteMs
    expect((await planReap(small, scope, world.deps(), never)).plan.objects).toHaveLength(2)
  })
})

describe('planning', () => {
  it('removes nothing, and plans nothing where nothing leaks', async () => {
    const world = leakingWorld(1)
    const { state, plan } = await planReap(reap, scope, world.deps(), never)
    expect([state, plan.objects, world.trail.kept, world.acts]).toEqual(['observed', [], [], []])
  })

  it('leaves busy runners out, and names the reason', async () => {
    const world = leakingWorld(3)
    world.startJob('r1')
    const { objects, skipped } = await planOf(world)
    expect(objects.map(({ name }) => name)).toEqual(['r2'])
    expect(skipped).toContainEqual(
      expect.objectContaining({ name: 'r1', why: expect.stringMatching(/busy true/) }),
    )
  })

  it('is blocked where a set cannot be read or is not there', async () => {
    const world = leakingWorld(3)
    world.clusterFailures = 1
    const { state, plan } = await planReap(reap, scope, world.deps(), never)
    expect([state, plan.gates]).toEqual([
      'blocked',
      [expect.objectContaining({ passed: false, proof: expect.stringMatching(/not read/) })],
    ])
  })

  it('is blocked where the set names another forge than the one that is asked', async () => {
    const world = leakingWorld(3)
    const forge = { ...world.deps().forge, host: 'github.example.com' }
    const { state, plan } = await planReap(reap, scope, { ...world.deps(), forge }, never)
    expect([state, plan.objects, plan.gates]).toEqual([
      'blocked',
      [],
      [
        expect.objectContaining({
          passed: false,
          proof: expect.stringMatching(/no list of github.example.com/),
        }),
      ],
    ])
  })

  it('has another hash whenever anything in the plan differs', async () => {
    const world = leakingWorld(3)
    const { plan, hash } = await planReap(reap, scope, world.deps(), never)
    world.change('r1')
    const again = await planReap(reap, scope, world.deps(), never)
    expect(again.plan.objects.map(({ name }) => name)).toEqual(plan.objects.map(({ name }) => name))
    expect(again.hash).not.toBe(hash)
  })
})

function deafWithJob(world: RemedyWorld): void {
  world.isListenerUp = false
  world.startJob('r1')
}

function forgeAway(world: RemedyWorld): void {
  world.forgeFailures = 1
}

function clusterAway(world: RemedyWorld): void {
  world.clusterFailures = 1
}

function offline(world: RemedyWorld): void {
  const found = world.atForge.get('r1')
  if (found !== undefined) found.isOnline = false
}

function raise(world: RemedyWorld, replicas: number): void {
  world.generations = world.generations.map((each) => ({ ...each, replicas }))
}
