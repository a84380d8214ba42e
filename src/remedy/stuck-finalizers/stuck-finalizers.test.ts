import { describe, expect, it } from 'vitest'
import { stuckFinalizers } from '../../domain/remedy/index.ts'
import { minuteMs } from '../../domain/snapshot/testing/facts.ts'
import { applyPlan, planStuckFinalizers, stuckFinalizersTreatment } from '../index.ts'
import { NudgesTwin, refusedLine } from '../testing/nudges-twin.ts'
import { place, RemedyWorld, someJob } from '../testing/world.ts'

const never = new AbortController().signal

/** Two runners that were deleted while the forge refused ARC's credential, which is good again. */
function held({ isDead = false }: { readonly isDead?: boolean } = {}) {
  const world = new RemedyWorld()
  const twin = new NudgesTwin(world)
  for (const name of ['r1', 'r2']) world.addRunner(name, { deletedAt: world.now - 20 * minuteMs })
  world.addRunner('idle')
  twin.lines = ['r1', 'r2'].map(refusedLine)
  world.isCredentialDead = isDead
  const deps = { ...world.deps(), nudges: twin.nudges, credential: twin.credential }
  const plan = () =>
    planStuckFinalizers(stuckFinalizers, { sets: [place], minAgeMs: 5 * minuteMs }, deps, never)
  const apply = async ({ plan: made }: Awaited<ReturnType<typeof plan>>) =>
    applyPlan(stuckFinalizersTreatment(stuckFinalizers, deps), made, deps, never)
  return { world, twin, plan, apply }
}

describe('runners whose removal the forge refused', () => {
  it('are not planned while ARC’s credential is dead: the gate names its repair', async () => {
    const { plan, twin } = held({ isDead: true })
    const { state, plan: made } = await plan()
    expect([state, made.objects, twin.acts]).toEqual(['blocked', [], []])
    const gate = made.gates.find((each) => each.gate === 'credential-accepted')
    expect(gate?.proof).toMatch(
      /401 Bad credentials.*fix secret-drift --scale-set arc-runners\/linux.*fix credentials --scale-set arc-runners\/linux.*not stripped/s,
    )
  })

  it('go through ARC’s own finalizers once it is good again, also one for which ARC was quicker', async () => {
    const { plan, apply, twin, world } = held()
    const planned = await plan()
    expect(planned.plan.objects.map(({ name }) => name)).toEqual(['r1', 'r2'])
    expect(await apply(planned)).toMatchObject({ state: 'done' })
    expect([...world.runners.keys()]).toEqual(['idle'])
    // This ARC settles both in one pass.
    expect(twin.acts.map(({ name }) => name)).toEqual(['r1'])
  })

  it('keep their finalizers where ARC does not remove them: escalated, and nothing more is touched', async () => {
    const { plan, apply, twin, world } = held()
    const planned = await plan()
    world.disturb = () => {
      if (twin.acts.length > 0) world.isCredentialDead = true
    }
    expect(await apply(planned)).toMatchObject({ state: 'escalated' })
    expect(twin.acts).toHaveLength(1)
    expect(world.runners.get('r1')?.finalizers).toHaveLength(2)
  })

  it('are left alone where nothing shows that the credential held them', async () => {
    const { plan, twin } = held()
    twin.lines = []
    expect((await plan()).plan.skipped.map(({ why }) => why)).toEqual([
      expect.stringContaining('removal-refused'),
      expect.stringContaining('removal-refused'),
    ])
    twin.lines = ['r1', 'r2'].map((name) => refusedLine(name).replace(/\(401.*credentials/, '(500 oops'))
    expect((await plan()).plan.objects).toEqual([])
  })

  it.each([
    ['deleted just now', { deletedAt: 0 }, 'ARC may still be at it'],
    ['with a job', { job: someJob }, 'by right'],
  ])('are left alone: %s', async (_, given, why) => {
    const { plan, world } = held()
    const change = 'deletedAt' in given ? { deletedAt: world.now - minuteMs } : given
    world.change('r1', change)
    expect((await plan()).plan.skipped).toMatchObject([{ name: 'r1', why: expect.stringContaining(why) }])
  })
})

describe('between plan and apply', () => {
  it.each([
    ['same-object', (world: RemedyWorld) => world.change('r1')],
    ['still-stuck', (world: RemedyWorld) => world.change('r1', { deletedAt: null })],
    ['no-job-in-cluster', (world: RemedyWorld) => world.change('r1', { job: someJob })],
    ['not-busy', (world: RemedyWorld) => world.startJob('r1')],
    ['finalizer-of-arc', (world: RemedyWorld) => world.change('r1', { finalizers: ['other'] })],
    ['removal-refused', (_: RemedyWorld, twin: NudgesTwin) => (twin.lines = [])],
    ['credential-accepted', (world: RemedyWorld) => (world.isCredentialDead = true)],
  ])('a change stops it by %s, and nothing is written', async (gate, change) => {
    const { plan, apply, world, twin } = held()
    const planned = await plan()
    change(world, twin)
    const { state, gates } = await apply(planned)
    expect([state, gates.filter(({ passed }) => !passed).map((each) => each.gate)]).toEqual([
      'aborted',
      expect.arrayContaining([gate]),
    ])
    expect(twin.acts).toEqual([])
  })

  it.each([
    ['after', 1],
    ['before', 0],
  ] as const)('an answer that is lost %s the write is read again, and never repeated', async (lost, acts) => {
    const { plan, apply, world, twin } = held()
    world.runners.delete('r2')
    const planned = await plan()
    world.loseNextAnswer = lost
    expect((await apply(planned)).state).toBe(lost === 'after' ? 'done' : 'escalated')
    expect(twin.acts).toHaveLength(acts)
  })
})
