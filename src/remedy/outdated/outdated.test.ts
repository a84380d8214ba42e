import { describe, expect, it } from 'vitest'
import { runnerImage } from '../../domain/audit/runtime/runner-image.ts'
import { outdated } from '../../domain/remedy/index.ts'
import { minuteMs, runnerSetFact } from '../../domain/snapshot/testing/facts.ts'
import { applyPlan, outdatedTreatment, planOutdated } from '../index.ts'
import { NudgesTwin } from '../testing/nudges-twin.ts'
import { place, RemedyWorld } from '../testing/world.ts'

const never = new AbortController().signal

function taken() {
  const world = new RemedyWorld()
  world.set = { ...world.set, phase: 'Outdated' }
  world.generations = []
  world.isListenerUp = false
  const twin = new NudgesTwin(world)
  const image = runnerImage(world.set) ?? ''
  const deps = { ...world.deps(), nudges: twin.nudges }
  const plan = (renewed: readonly string[] = [image]) =>
    planOutdated(outdated, { sets: [place], renewed }, deps, never)
  const apply = async ({ plan: made }: Awaited<ReturnType<typeof plan>>) =>
    applyPlan(outdatedTreatment(outdated, deps), made, deps, never)
  return { world, twin, image, plan, apply }
}

describe('a set that ARC took down because its runners are refused', () => {
  it('is not planned before its image is a newer one: the gate says what to do', async () => {
    const { plan, twin, image } = taken()
    const { state, plan: made } = await plan([])
    expect([state, made.objects, twin.acts]).toEqual(['blocked', [], []])
    expect(made.gates).toMatchObject([
      { gate: 'image-renewed', passed: false, proof: expect.stringContaining(`--image-renewed ${image}`) },
    ])
    expect(made.gates[0]?.proof).toContain('put a newer runner image into the source of linux')
  })

  it('is made again by ARC once it is, and its runners live on', async () => {
    const { plan, apply, world, twin } = taken()
    const planned = await plan()
    expect([planned.state, twin.acts]).toEqual(['planned', []])
    expect(await apply(planned)).toMatchObject({ state: 'done', treated: ['arc-runners/linux'] })
    expect(twin.acts).toHaveLength(1)
    expect(world.set.phase).toBe('Running')
  })

  it('is escalated, and not tried again, where the forge refuses its runners once more', async () => {
    const { plan, apply, twin } = taken()
    twin.isImageNew = false
    expect(await apply(await plan())).toMatchObject({ state: 'escalated' })
    expect(twin.acts).toHaveLength(1)
  })

  it('with an image by its digest is never planned: that image stays the refused one', async () => {
    const { plan, world } = taken()
    const pinned = `ghcr.io/acme/runner@sha256:${'a'.repeat(64)}`
    const containers = world.set.template.containers.map((each) => ({ ...each, image: pinned }))
    world.set = { ...world.set, template: { ...world.set.template, containers } }
    const { state, plan: made } = await plan([pinned])
    expect([state, made.gates[0]?.gate]).toEqual(['blocked', 'image-renewed'])
  })

  it('waits for a runner that is left, which may have a job', async () => {
    const { plan, world } = taken()
    world.addRunner('r1', { phase: 'Running' })
    const { state, plan: made } = await plan()
    expect([state, made.gates[0]?.gate]).toEqual(['blocked', 'taken-down'])
  })
})

describe('a set that needs no such act', () => {
  it.each([
    ['Running', 'its phase is Running'],
    [null, 'this release of ARC has no such state'],
  ] as const)('in the phase %s is left alone', async (phase, why) => {
    const { plan, world } = taken()
    world.set = { ...world.set, phase }
    const { state, plan: made } = await plan()
    expect([state, made.skipped[0]?.why]).toEqual(['observed', expect.stringContaining(why)])
  })

  it('of a release that makes its runners again by itself is left alone: its source must change', async () => {
    const { plan, world } = taken()
    world.set = { ...world.set, phase: 'Running' }
    world.generations = [runnerSetFact('linux', { phase: 'Outdated' })]
    expect((await plan()).plan.skipped[0]?.why).toContain('put a newer runner image into its source')
  })
})

describe('between plan and apply', () => {
  it.each([
    ['same-object', (world: RemedyWorld) => (world.set = { ...world.set, resourceVersion: '999' })],
    ['stays-outdated', (world: RemedyWorld) => (world.set = { ...world.set, phase: 'Pending' })],
    ['taken-down', (world: RemedyWorld) => world.addRunner('r1')],
    ['image-renewed', (world: RemedyWorld) => changeImage(world, 'ghcr.io/acme/runner:other')],
    ['plan-in-time', (world: RemedyWorld) => atRecheck(world, () => (world.now += 16 * minuteMs))],
  ])('a change stops it by %s, and nothing is written', async (gate, change) => {
    const { plan, apply, world, twin } = taken()
    const planned = await plan()
    change(world)
    const { state, gates } = await apply(planned)
    expect([state, gates.filter(({ passed }) => !passed).map((each) => each.gate)]).toEqual([
      'aborted',
      expect.arrayContaining([gate]),
    ])
    expect(twin.acts).toEqual([])
  })

  it.each([
    ['after', 'done', 1],
    ['before', 'escalated', 0],
  ] as const)(
    'an answer that is lost %s the write is read again, and never repeated',
    async (lost, state, acts) => {
      const { plan, apply, world, twin } = taken()
      const planned = await plan()
      world.loseNextAnswer = lost
      expect((await apply(planned)).state).toBe(state)
      expect(twin.acts).toHaveLength(acts)
    },
  )
})

function changeImage(world: RemedyWorld, image: string): void {
  const containers = world.set.template.containers.map((each) => ({ ...each, image }))
  world.set = { ...world.set, template: { ...world.set.template, containers } }
}

/** Right after the approval. */
function atRecheck(world: RemedyWorld, change: () => void): void {
  world.disturb = () => {
    if (world.trail.kept.at(-1)?.step !== 'approved') return
    world.disturb = () => {}
    change()
  }
}
