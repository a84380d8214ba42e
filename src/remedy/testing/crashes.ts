import fc from 'fast-check'
import { isError } from '../../domain/errors/index.ts'
import { type ApplyRecord, isUnfinished } from '../../domain/remedy/managed-apply/index.ts'
import { minuteMs } from '../../domain/snapshot/testing/facts.ts'
import { type ApplyDeps, abortApply, beginApply, resumeApply } from '../managed-apply/index.ts'
import { type ApplyWorld, type CommandEffect, never, order, workingWorld } from './apply-world.ts'
import type { BrokenApply } from './broken-apply.ts'

class Killed extends Error {}

/** The commands of users. */
export const effects = {
  'changes the spec': { image: 'runner:2', caps: {}, end: { kind: 'exited', code: 0 } },
  'changes the spec and the cap': {
    image: 'runner:2',
    caps: { maxRunners: 20 },
    end: { kind: 'exited', code: 0 },
  },
  'changes nothing': { image: null, caps: {}, end: { kind: 'exited', code: 0 } },
  fails: { image: null, caps: {}, end: { kind: 'exited', code: 1 } },
  'fails after the cap': { image: null, caps: { maxRunners: 20 }, end: { kind: 'exited', code: 1 } },
} as const satisfies Record<string, CommandEffect>

/** Everything that others may do between two calls. */
export const changes = {
  'somebody writes the cap': (world: ApplyWorld) => world.caps.write({ maxRunners: 7 }),
  'an answer is lost': (world: ApplyWorld) => void Object.assign(world, { loseNextAnswer: 'after' }),
  'an answer is lost, its request too': (world: ApplyWorld) =>
    void Object.assign(world, { loseNextAnswer: 'before' }),
  'an answer is lost, and its request comes late': (world: ApplyWorld) =>
    void Object.assign(world, { loseNextAnswer: 'late' }),
  'the cluster is away': (world: ApplyWorld) => void Object.assign(world, { clusterFailures: 3 }),
  'the forge is away': (world: ApplyWorld) => void Object.assign(world, { forgeFailures: 2 }),
  'a job starts': (world: ApplyWorld) => {
    for (const name of world.runners.keys()) world.startJob(name)
  },
  'a minute passes': (world: ApplyWorld) => void Object.assign(world, { now: world.now + minuteMs }),
} as const

interface Crash {
  readonly effect: keyof typeof effects
  /** Killed before the call of this number; null: not. */
  readonly killAt: number | null
  readonly next: 'resume' | 'abort'
  /** The operator's word about a command without an end. */
  readonly word: 'rerun' | 'done'
  /** The resumed or aborted one is killed, too. */
  readonly killAgainAt: number | null
  readonly changes: readonly { readonly at: number; readonly change: keyof typeof changes }[]
  /** An old idle runner that ARC does not take down. */
  readonly isLeft: boolean
}

/** The number of calls that an undisturbed apply makes: each is a place to be killed at. */
export async function callsOf(crash: Crash): Promise<number> {
  const world = worldOf(crash)
  const before = world.tick
  await beginApply(order, world.applyDeps(), never)
  return world.tick - before
}

export const crashArbitrary: fc.Arbitrary<Crash> = fc.record({
  effect: fc.constantFrom(...(Object.keys(effects) as (keyof typeof effects)[])),
  killAt: fc.option(fc.integer({ min: 1, max: 60 }), { freq: 4 }),
  next: fc.constantFrom('resume', 'abort'),
  word: fc.constantFrom('rerun', 'done'),
  killAgainAt: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 2 }),
  changes: fc.array(
    fc.record({
      at: fc.integer({ min: 1, max: 60 }),
      change: fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])),
    }),
    { maxLength: 3 },
  ),
  isLeft: fc.boolean(),
})

/** Runs an apply that is killed, then what an operator does; gives every rule that was broken. */
export async function violationsOf(crash: Crash, variant: BrokenApply): Promise<readonly string[]> {
  const world = worldOf(crash)
  const process = (killAt: number | null, run: (deps: ApplyDeps) => Promise<unknown>) =>
    lived(world, { ...crash, killAt }, () => run(variant.deps(world.applyDeps(), world)))
  let reruns = 0
  const goOn = async (deps: ApplyDeps) => {
    if (crash.next === 'abort') return abortApply(null, deps)
    try {
      return await resumeApply({ id: null, word: null, argv: order.argv }, deps, never)
    } catch (error) {
      if (!isError(error, 'E_APPLY_ASKS')) throw error
      if (crash.word === 'rerun') reruns += 1
      return resumeApply({ id: null, word: crash.word, argv: order.argv }, deps, never)
    }
  }
  await process(crash.killAt, (deps) => beginApply(order, deps, never))
  const isOpen = () => [...world.kept.values()].some(isUnfinished)
  if (isOpen()) await process(crash.killAgainAt, goOn)
  // The last one is not disturbed: now it must come to its end.
  world.disturb = () => {}
  Object.assign(world, { loseNextAnswer: null, clusterFailures: 0, forgeFailures: 0 })
  if (isOpen()) await goOn(variant.deps(world.applyDeps(), world))
  world.caps.landAll()
  return judge(world, reruns)
}

function worldOf({ effect, isLeft }: Crash): ApplyWorld {
  const world = workingWorld()
  world.effect = effects[effect]
  if (!isLeft) return world
  // ARC leaves it alone; its job is known to the forge only.
  const { run } = world.commands
  Object.assign(world.commands, {
    run: (async (given, signal) => {
      world.addRunner('left', { images: { runner: 'runner:0' } })
      return run(given, signal)
    }) satisfies typeof run,
  })
  return world
}

/** One process: it ends, or is killed and does nothing more. */
async function lived(world: ApplyWorld, crash: Crash, run: () => Promise<unknown>): Promise<void> {
  let calls = 0
  let isDead = false
  world.disturb = () => {
    calls += 1
    if (calls === crash.killAt) isDead = true
    if (isDead) throw new Killed('killed')
    for (const { at, change } of crash.changes) if (at === calls) changes[change](world)
  }
  try {
    await run()
  } catch (error) {
    if (!isDead && !isError(error, 'E_APPLY_FROZEN')) throw error
  }
}

function judge(world: ApplyWorld, reruns: number): readonly string[] {
  const { current, othersMax, sentTicks } = world.caps
  const wanted = othersMax ?? 10
  const records = [...world.kept.values()]
  const firstAct = Math.min(...sentTicks, ...world.acts.map(({ tick }) => tick))
  return [
    ...(current.mark === null ? [] : ['the set has the mark of an apply']),
    ...(current.maxRunners === wanted ? [] : [`maxRunners is ${current.maxRunners}, wanted ${wanted}`]),
    ...(current.minRunners === 2 ? [] : [`minRunners is ${current.minRunners}`]),
    ...world.lostJobs.map((name) => `${name} was removed with its job`),
    ...world.acts.flatMap(({ name, busySince, tick }) => {
      const asked = (world.asked.get(name) ?? []).filter((each) => each.tick < tick).at(-1)?.tick
      return busySince !== null && (asked === undefined || busySince < asked)
        ? [`${name} was deleted with a job that the forge knew of`]
        : []
    }),
    ...(world.commandTicks.length <= 1 + reruns ? [] : ['the command ran again by itself']),
    ...rowProblems(world),
    ...(Number.isFinite(firstAct) && (world.firstRecordTick ?? Number.POSITIVE_INFINITY) > firstAct
      ? ['the fleet was changed before the record was durable']
      : []),
    ...records.filter(isUnfinished).map(({ id, state }) => `${id} is still in ${state}`),
    ...records.flatMap((record) => doneProblems(record, world)),
  ]
}

/** Each write and each run of the command has its own row before it. */
function rowProblems({ applyRows, caps, commandTicks }: ApplyWorld): readonly string[] {
  const sets = applyRows.filter(({ subject }) => subject !== null)
  const begins = applyRows.filter(({ step }) => step === 'apply')
  const lacks = (acts: readonly number[], rows: typeof applyRows) =>
    acts.some((tick, index) => !rows.some((row) => row.tick < tick && row.tick > (acts[index - 1] ?? 0)))
  return [
    ...(lacks(caps.sentTicks, sets) ? ['a patch has no row before it'] : []),
    ...(lacks(commandTicks, begins) ? ['the command has no row before it'] : []),
  ]
}

function doneProblems({ state }: ApplyRecord, world: ApplyWorld): readonly string[] {
  if (state !== 'done') return []
  return world.generations.length === 1 ? [] : ['it is done, and has two generations']
}
