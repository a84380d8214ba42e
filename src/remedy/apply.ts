import {
  failedOf,
  type GateResult,
  gatesText,
  judgeGates,
  type PlannedObject,
  planHash,
  type RemedyFacts,
  type RemedyState,
} from '../domain/remedy/index.ts'
import { keyOf } from '../domain/snapshot/index.ts'
import type { Instant } from '../domain/time.ts'
import { actsOfHour } from './acts-of-hour.ts'
import type { Applying } from './applying.ts'
import { attempted } from './attempted.ts'
import type { RemedyDeps } from './deps.ts'
import { createRun } from './run.ts'
import type { Treatment } from './treatment.ts'
import { proveEnds, verifyAct } from './verify.ts'

/** How a run ended. */
export interface RunReport {
  readonly state: RemedyState
  readonly outcome: string
  /** Gates of the last step. */
  readonly gates: readonly GateResult[]
  /** Objects that were treated and verified, in order. */
  readonly treated: readonly string[]
}

/**
 * Applies exactly this plan, or stops: one object at a time, each re-checked immediately before, and nothing after the first
 * anomaly. What was begun is verified before the next.
 */
export async function applyPlan<F extends RemedyFacts>(
  treatment: Treatment<F>,
  plan: F['plan'],
  deps: RemedyDeps,
  signal: AbortSignal,
): Promise<RunReport> {
  const run = createRun(treatment.remedy.name, 'planned', deps)
  const applying = { treatment, plan, run, deps, signal }
  const treated: string[] = []
  await approve(applying)
  for (const [index, planned] of plan.objects.entries()) {
    if (run.isEnded) break
    if (index > 0) await run.move('next', { outcome: `${index} of ${plan.objects.length} are done` })
    await treat(planned, treated.length, applying)
    if (run.is('verified')) treated.push(keyOf(planned))
  }
  if (!run.isEnded) await proveEnds(applying)
  return { state: run.state, outcome: run.outcome, gates: run.gates, treated }
}

async function approve<F extends RemedyFacts>({ treatment, plan, run, deps }: Applying<F>): Promise<void> {
  const { approvals, bounds, name } = treatment.remedy
  const hash = planHash(plan, deps.digest)
  run.of(hash)
  if (plan.remedy !== name) {
    await run.move('block', { outcome: `blocked: a plan of ${plan.remedy} is none of ${name}` })
    return
  }
  const rows = await deps.trail.rows()
  const gates = judgeGates(approvals, {
    plan,
    now: deps.clock.now(),
    site: deps.site,
    bounds,
    isUsed: rows.some((row) => row.plan === hash && row.step === 'approved'),
  })
  const failed = failedOf(gates)
  if (failed.length === 0)
    await run.move('approve', { gates, outcome: `${plan.objects.length} objects approved` })
  else await run.move('block', { gates, outcome: `blocked: ${gatesText(failed)}` })
}

async function treat<F extends RemedyFacts>(
  planned: F['plan']['objects'][number],
  actsOfRun: number,
  applying: Applying<F>,
): Promise<void> {
  const { run } = applying
  const judgedAt = await recheck(planned, actsOfRun, applying)
  if (!run.is('re-checked')) return
  await act(planned, judgedAt, applying)
  if (run.is('acted')) await verifyAct(planned, applying)
}

/** All sources again; gives when they were judged. A fact that cannot be read stops the run as one that changed does. */
async function recheck<F extends RemedyFacts>(
  planned: F['plan']['objects'][number],
  actsOfRun: number,
  { treatment, plan, run, deps, signal }: Applying<F>,
): Promise<Instant> {
  const { remedy, texts } = treatment
  const subject = subjectOf(planned)
  const hour = await actsOfHour(remedy, deps)
  const fresh = await attempted(() => treatment.readFresh(planned, signal))
  const now = deps.clock.now()
  if ('failure' in fresh) {
    await run.move('abort', {
      subject,
      outcome: `not touched: its facts could not be read: ${fresh.failure}`,
    })
    return now
  }
  const { bounds } = remedy
  const facts = { plan, planned, bounds, now, ...fresh.value, actsOfRun, actsOfHour: hour }
  const gates = judgeGates(remedy.rechecks, facts)
  const failed = failedOf(gates)
  if (failed.length > 0)
    await run.move('abort', { subject, gates, outcome: `not touched: ${gatesText(failed)}` })
  else await run.move('re-check', { subject, gates, outcome: texts.toDo(planned) })
  return now
}

/** One act, never repeated here. Where its answer is not a plain yes, the object is read again and judged. */
async function act<F extends RemedyFacts>(
  planned: F['plan']['objects'][number],
  judgedAt: Instant,
  { treatment, plan, run, deps, signal }: Applying<F>,
): Promise<void> {
  const { remedy, texts } = treatment
  const subject = subjectOf(planned)
  const now = deps.clock.now()
  const isStale = now > plan.expiresAt || Math.abs(now - judgedAt) > remedy.bounds.factAgeMaxMs
  if (isStale) {
    // A slow disk under the trail, or a machine that slept.
    await run.move('abort', { subject, outcome: 'not touched: its facts grew old while they were noted' })
    return
  }
  const acted = await attempted(() => treatment.act(planned, signal))
  const answer = 'failure' in acted ? acted.failure : acted.value
  if (answer === 'done') {
    await run.move('act', { subject, outcome: texts.done })
    return
  }
  const read = await attempted(() => treatment.isDone(planned, signal))
  if ('value' in read && read.value)
    await run.move('act', { subject, outcome: `answer: ${answer}; read again, it stands` })
  else if (answer === 'unknown')
    await run.move('escalate', {
      subject,
      outcome: `answer: ${answer}; read again, it is ${'value' in read ? 'not done' : 'not readable'}; not repeated`,
    })
  else await run.move('abort', { subject, outcome: `not done: ${answer}` })
}

function subjectOf(planned: PlannedObject): string {
  return `${planned.kind} ${keyOf(planned)}`
}
