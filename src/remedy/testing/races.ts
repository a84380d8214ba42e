import fc from 'fast-check'
import type { Remedy, RunnerFacts } from '../../domain/remedy/index.ts'
import { minuteMs } from '../../domain/snapshot/testing/facts.ts'
import { applyPlan, type Planned, type RunReport, type Treatment } from '../index.ts'
import type { Broken } from './broken.ts'
import type { Act, ReapDeps, RemedyWorld } from './world.ts'

export const runnersMax = 5
const never = new AbortController().signal

/** The program was killed: nothing after it happens. */
class Killed extends Error {}

/** Everything that others may do to a fleet between two steps of a remedy. */
export const actions = {
  'a job starts': (world: RemedyWorld, name: string) => world.startJob(name),
  'a job ends': (world: RemedyWorld, name: string) => world.endJob(name),
  'ARC reconciles': (world: RemedyWorld) => world.reconcile(),
  'the listener goes': (world: RemedyWorld) => void Object.assign(world, { isListenerUp: false }),
  'the listener comes': (world: RemedyWorld) => world.raiseListener(),
  'a runner is made again': (world: RemedyWorld, name: string) => {
    world.addRunner(name)
    world.note('a runner was made')
  },
  'an object is written': (world: RemedyWorld, name: string) => world.change(name),
  'another deletes it': (world: RemedyWorld, name: string) => world.requestDeletion(name),
  'another strips its finalizers': (world: RemedyWorld, name: string) => {
    if (world.runners.get(name)?.deletedAt === null) world.stripFinalizers(name)
  },
  'a pod starts after all': (world: RemedyWorld, name: string) => world.startPod(name),
  'a replacement fails': (world: RemedyWorld, name: string) => world.addFailed(`${name}-next`),
  'the waiting job starts': (world: RemedyWorld, name: string) => {
    world.startJob(name)
    world.leaveQueue(name)
  },
  'the waiting job is cancelled': (world: RemedyWorld) => world.leaveQueue(null),
  'the lane is widened': (world: RemedyWorld) => world.widenLane(),
  'a runner goes offline': (world: RemedyWorld, name: string) => world.goOffline(name),
  'more are wanted': (world: RemedyWorld) => {
    world.generations = world.generations.map((each) => ({ ...each, replicas: each.replicas + 1 }))
  },
  'the forge is away': (world: RemedyWorld) => void Object.assign(world, { forgeFailures: 2 }),
  'the cluster is away': (world: RemedyWorld) => void Object.assign(world, { clusterFailures: 2 }),
  'an answer is lost, its request too': (world: RemedyWorld) =>
    void Object.assign(world, { loseNextAnswer: 'before' }),
  'an answer is lost': (world: RemedyWorld) => void Object.assign(world, { loseNextAnswer: 'after' }),
  'an hour passes': (world: RemedyWorld) => void Object.assign(world, { now: world.now + 61 * minuteMs }),
  'the clock goes back': (world: RemedyWorld) => void Object.assign(world, { now: world.now - 3 * minuteMs }),
  'the program is killed': () => {
    throw new Killed('killed')
  },
} as const

interface Change {
  /** After so many calls of ports since the plan. */
  readonly after: number
  readonly action: keyof typeof actions
  readonly runner: string
}

/** A remedy in a world that it is for, and the rules of its own that an act may break. */
export interface Scenario<F extends RunnerFacts> {
  readonly remedy: Remedy<F>
  world(script: Script): RemedyWorld
  treatment(remedy: Remedy<F>, deps: ReapDeps): Treatment<F>
  plan(remedy: Remedy<F>, script: Script, deps: ReapDeps, signal: AbortSignal): Promise<Planned<F>>
  /** Rules of its own that an act broke. */
  problems(act: Act, world: RemedyWorld, wasSeen: WasSeen, script: Script): readonly string[]
}

/** Whether a change, or one at a tick, came before the remedy last looked before an act; also where it never looked after its plan. */
type WasSeen = (change: string | number, read: string) => boolean

/** An oddity of the oldest runner, long before the plan. */
const oddities = [
  'none',
  'a job in its status',
  'no cause stated',
  'an earlier pod',
  'busy without a pod',
  'a started pod',
  'offline at the forge',
] as const

export interface Script {
  readonly changes: readonly Change[]
  readonly isStale: boolean
  /** Somebody stripped the finalizers of the oldest runner, long before the plan. */
  readonly isBare: boolean
  /** The operator looked for a Runner.Worker, and saw none. */
  readonly isWorkerSought: boolean
  readonly oddity: (typeof oddities)[number]
  /** One operator, one who tries again, or two at once. */
  readonly operators: 'one' | 'one after the other' | 'two at once'
}

const names = Array.from({ length: runnersMax }, (_, index) => `r${index + 1}`)

export const scriptArbitrary: fc.Arbitrary<Script> = fc.record({
  changes: fc.array(
    fc.record({
      // The first object is treated within the first dozen calls.
      after: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 40 })),
      action: fc.constantFrom(...(Object.keys(actions) as (keyof typeof actions)[])),
      // The first ones are planned most often.
      runner: fc.constantFrom('r1', 'r1', 'r2', ...names),
    }),
    { maxLength: 6 },
  ),
  isStale: fc.boolean(),
  isBare: fc.boolean(),
  isWorkerSought: fc.boolean(),
  oddity: fc.constantFrom(...oddities),
  operators: fc.constantFrom('one', 'one', 'one after the other', 'two at once'),
})

/** Plans in a quiet world, then applies while the script changes it; gives every rule that was broken. */
export async function violationsOf<F extends RunnerFacts>(
  script: Script,
  variant: Broken,
  scenario: Scenario<F>,
): Promise<readonly string[]> {
  const world = scenario.world(script)
  if (script.isBare) world.stripFinalizers('r1')
  const bounded = scenario.remedy
  const remedy = variant.remedy(bounded)
  const planning = variant.isPlanBroken ? remedy : bounded
  const { plan } = await scenario.plan(planning, script, world.deps(), never)
  const plannedTick = world.tick
  disturbBy(world, script.changes)
  const apply = (operator: number) => {
    const deps = variant.deps(world.depsOf(operator), world)
    return ended(() => applyPlan(scenario.treatment(remedy, deps), plan, deps, never))
  }
  const reports =
    script.operators === 'two at once'
      ? await Promise.all([apply(1), apply(2)])
      : script.operators === 'one'
        ? [await apply(1)]
        : [await apply(1), await apply(2)]
  return judge({ world, plan, plannedTick, reports, scenario, script })
}

function disturbBy(world: RemedyWorld, changes: readonly Change[]): void {
  let calls = 0
  world.disturb = () => {
    const due = changes.filter(({ after }) => after === calls)
    calls += 1
    for (const { action, runner } of due) actions[action](world, runner)
  }
}

async function ended(run: () => Promise<RunReport>): Promise<RunReport | null> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Killed) return null
    throw error
  }
}

interface Ended {
  readonly world: RemedyWorld
  readonly plan: RunnerFacts['plan']
  readonly plannedTick: number
  readonly reports: readonly (RunReport | null)[]
  readonly scenario: {
    readonly remedy: Pick<Remedy, 'bounds'>
    problems: Scenario<RunnerFacts>['problems']
  }
  readonly script: Script
}

function judge(given: Ended): readonly string[] {
  const { world, plan, reports, scenario, script } = given
  const lostByUs = world.lostJobs.filter((name) => world.acts.some((act) => act.name === name))
  return [
    ...lostByUs.map((name) => `${name} was removed with its job`),
    ...world.acts.flatMap((act, index) => actProblems(act, index, given)),
    ...repeated(world.acts.map(({ uid }) => uid)).map((uid) => `${uid} was deleted twice`),
    ...boundProblems(world.acts, scenario.remedy),
    ...(script.operators === 'one after the other' ? approvalProblems(world, plan) : []),
    ...reports.flatMap((report) => doneProblems(report, world)),
  ]
}

function actProblems(
  act: Act,
  index: number,
  { world, plan, plannedTick, scenario, script }: Ended,
): readonly string[] {
  const planned = plan.objects.find(({ uid }) => uid === act.uid)
  if (planned === undefined) return [`${act.name} (${act.uid}) was deleted, and never planned`]
  const problems: string[] = []
  if (planned.resourceVersion !== act.resourceVersion)
    problems.push(`${act.name} was deleted in a state that was not planned`)
  if (act.at > plan.plannedAt + scenario.remedy.bounds.planAgeMaxMs || act.at < plan.plannedAt)
    problems.push(`${act.name} was deleted out of the plan’s time`)
  // Of two at once, the other may have asked last, and stopped by the answer.
  const isOwn = (called: { readonly tick: number; readonly operator: number }) =>
    called.operator === act.operator && called.tick > plannedTick && called.tick <= act.tick
  const lastAsked = (world.asked.get(act.name) ?? []).filter(isOwn).at(-1)?.tick
  if (lastAsked === undefined)
    problems.push(`${act.name} was deleted, and the forge was not asked after the plan`)
  if (act.busySince !== null && (lastAsked === undefined || act.busySince < lastAsked))
    problems.push(`${act.name} was deleted with a job that the forge knew of when it was asked`)
  const rows = world.rowTicks.filter((row) => row.subject?.endsWith(`/${act.name}`) && isOwn(row))
  if (rows.length === 0) problems.push(`act ${index + 1} on ${act.name} has no row before it`)
  const wasSeen: WasSeen = (change, read) => {
    const upTo = world.noted.filter(({ tick }) => tick <= act.tick)
    const lastRead = upTo.filter((each) => each.what === read && isOwn(each)).at(-1)
    const isBefore = (tick: number) => lastRead === undefined || tick < lastRead.tick
    if (typeof change === 'number') return isBefore(change)
    return upTo.some(({ what, tick }) => what === change && isBefore(tick))
  }
  return [...problems, ...scenario.problems(act, world, wasSeen, script)]
}

function boundProblems(acts: readonly Act[], { bounds }: Pick<Remedy, 'bounds'>): readonly string[] {
  const hourMs = 60 * minuteMs
  const within = acts.map(({ at }) => acts.filter((other) => other.at <= at && other.at > at - hourMs).length)
  return within.some((count) => count > bounds.objectsPerHourMax)
    ? ['more acts within an hour than allowed']
    : []
}

/** One approval, one run. */
function approvalProblems({ trail }: RemedyWorld, plan: RunnerFacts['plan']): readonly string[] {
  const approved = trail.kept.filter(
    ({ step, outcome }) => step === 'approved' && outcome.endsWith('objects approved'),
  )
  return approved.length > 1 ? [`the plan of ${plan.plannedAt} was approved ${approved.length} times`] : []
}

/** A run that ends well has removed what it acted on, and nothing that works. */
function doneProblems(report: RunReport | null, world: RemedyWorld): readonly string[] {
  if (report?.state !== 'done') return []
  const left = world.acts.filter(({ uid }) =>
    [...world.runners.values()].some((runner) => runner.uid === uid),
  )
  return left.map(({ name }) => `the run is done, and ${name} is still there`)
}

function repeated(items: readonly string[]): readonly string[] {
  return items.filter((item, index) => items.indexOf(item) !== index)
}
