import fc from 'fast-check'
import type { Remedy, RemedyFacts } from '../../domain/remedy/index.ts'
import { minuteMs } from '../../domain/snapshot/testing/facts.ts'
import { applyPlan, type Planned, type RemedyDeps, type RunReport, type Treatment } from '../index.ts'
import type { MemoryTrail } from './memory-trail.ts'

const never = new AbortController().signal

/** The program was killed: nothing after it happens. */
class Killed extends Error {}

/** A world that may change before any call of a port, and notes what an act stood on. */
export interface DisturbedWorld {
  tick: number
  now: number
  disturb: () => void
  failures: number
  loseNextAnswer: 'before' | 'after' | null
  readonly trail: MemoryTrail
  readonly rowTicks: readonly number[]
  /** Writes that took effect, in order. */
  readonly acts: readonly { readonly tick: number; readonly at: number }[]
  /** Changes and reads that no object shows. */
  readonly noted: { readonly what: string; readonly tick: number }[]
  deps(): RemedyDeps
}

/** A remedy of single objects in a world that it is for. */
export interface SingleScenario<F extends RemedyFacts, W extends DisturbedWorld> {
  readonly remedy: Remedy<F>
  world(): W
  plan(remedy: Remedy<F>, world: W, signal: AbortSignal): Promise<Planned<F>>
  treatment(remedy: Remedy<F>, world: W): Treatment<F>
  /** Changes by others, besides those of every world. */
  readonly actions: Readonly<Record<string, (world: W) => void>>
  /** Rules of its own that an act broke. */
  problems(world: W, plan: F['plan'], wasSeen: WasSeen): readonly string[]
  /** Values that must be shown nowhere. */
  readonly planted: readonly string[]
}

const common: Readonly<Record<string, (world: DisturbedWorld) => void>> = {
  'the cluster is away': (world) => void Object.assign(world, { failures: 2 }),
  'an answer is lost, its request too': (world) => void Object.assign(world, { loseNextAnswer: 'before' }),
  'an answer is lost': (world) => void Object.assign(world, { loseNextAnswer: 'after' }),
  'an hour passes': (world) => void Object.assign(world, { now: world.now + 61 * minuteMs }),
  'the clock goes back': (world) => void Object.assign(world, { now: world.now - 3 * minuteMs }),
  'the program is killed': () => {
    throw new Killed('killed')
  },
}

/** Whether a change came before the read that shows it, before an act. Of two at once, the other may have read last. */
type WasSeen = (change: string, read: string, actTick: number) => boolean

function seenIn({ noted }: DisturbedWorld, operators: Script['operators']): WasSeen {
  return (change, read, actTick) => {
    const changed = noted.find(({ what }) => what === change)?.tick
    const reads = noted.filter(({ what, tick }) => what === read && tick < actTick)
    const shown = reads.at(operators === 'two at once' ? 0 : -1)?.tick
    return changed !== undefined && shown !== undefined && changed < shown
  }
}

interface Script {
  readonly changes: readonly { readonly after: number; readonly action: string }[]
  readonly operators: 'one' | 'one after the other' | 'two at once'
}

function scripts(actions: readonly string[]): fc.Arbitrary<Script> {
  return fc.record({
    changes: fc.array(
      fc.record({ after: fc.integer({ min: 0, max: 16 }), action: fc.constantFrom(...actions) }),
      { maxLength: 5 },
    ),
    operators: fc.constantFrom('one', 'one', 'one after the other', 'two at once'),
  })
}

/** The first world in which a variant of the remedy, or of its treatment, breaks a rule; empty: none was found. */
export async function foundIn<F extends RemedyFacts, W extends DisturbedWorld>(
  scenario: SingleScenario<F, W>,
  { seed, numRuns }: { readonly seed: number; readonly numRuns: number },
  variant: (remedy: Remedy<F>) => Remedy<F> = (remedy) => remedy,
  broken: (treatment: Treatment<F>, world: W) => Treatment<F> = (treatment) => treatment,
): Promise<readonly string[]> {
  const actions = { ...common, ...scenario.actions } as Readonly<Record<string, (world: W) => void>>
  const remedy = variant(scenario.remedy)
  const judged = fc.asyncProperty(scripts(Object.keys(actions)), async ({ changes, operators }) => {
    const world = scenario.world()
    const { plan } = await scenario.plan(remedy, world, never)
    world.noted.splice(0)
    let calls = 0
    world.disturb = () => {
      const due = changes.filter(({ after }) => after === calls)
      calls += 1
      for (const { action } of due) actions[action]?.(world)
    }
    const apply = () =>
      ended(() => applyPlan(broken(scenario.treatment(remedy, world), world), plan, world.deps(), never))
    const reports =
      operators === 'two at once'
        ? await Promise.all([apply(), apply()])
        : operators === 'one'
          ? [await apply()]
          : [await apply(), await apply()]
    const problems = [
      ...commonProblems(world, plan, scenario.planted, reports),
      ...scenario.problems(world, plan, seenIn(world, operators)),
    ]
    if (problems.length > 0) throw new Error(problems.join('; '))
  })
  const result = await fc.check(judged, { seed, numRuns, endOnFailure: true })
  return result.failed ? [String(result.errorInstance)] : []
}

async function ended(run: () => Promise<RunReport>): Promise<RunReport | null> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Killed) return null
    throw error
  }
}

function commonProblems(
  { acts, rowTicks, trail }: DisturbedWorld,
  plan: RemedyFacts['plan'],
  planted: readonly string[],
  reports: readonly (RunReport | null)[],
): readonly string[] {
  const shown = JSON.stringify([plan, reports, trail.kept])
  return [
    ...(acts.length > plan.objects.length ? [`${acts.length} acts for ${plan.objects.length} objects`] : []),
    ...acts.flatMap(({ tick, at }, index) => [
      ...(rowTicks.filter((each) => each < tick).length > index
        ? []
        : ['an act without its row in the trail']),
      ...(at < plan.plannedAt || at > plan.expiresAt ? ['an act out of the plan’s time'] : []),
    ]),
    ...planted.filter((value) => shown.includes(value)).map(() => 'a value was shown'),
  ]
}

/** One gate is missing. */
export function withoutGate<F extends RemedyFacts>(gate: string): (remedy: Remedy<F>) => Remedy<F> {
  return ({ rechecks, approvals, ...rest }) => ({
    ...rest,
    approvals: approvals.filter(({ name }) => name !== gate),
    rechecks: rechecks.filter(({ name }) => name !== gate),
  })
}

/** An act whose answer is lost is done again. */
export function repeatedBlindly<F extends RemedyFacts>(treatment: Treatment<F>): Treatment<F> {
  return {
    ...treatment,
    async act(planned, signal) {
      const answer = await treatment.act(planned, signal)
      return answer === 'unknown' ? treatment.act(planned, signal) : answer
    },
  }
}
