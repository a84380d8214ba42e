import { reasonOf } from '../domain/reason.ts'
import {
  failedOf,
  type GateResult,
  gatesText,
  judgeGates,
  masked,
  type Plan,
  planHash,
  planVersion,
  type RemedyFacts,
  type RemedyState,
  type SkippedObject,
} from '../domain/remedy/index.ts'
import { keyOf } from '../domain/snapshot/index.ts'
import type { Instant } from '../domain/time.ts'
import { actsOfHour } from './acts-of-hour.ts'
import type { RemedyDeps } from './deps.ts'
import { createRun } from './run.ts'
import type { Treatment } from './treatment.ts'

/** The result of a look: objects that may be treated if every gate passes, and those that are left alone. */
export interface Candidates<F extends RemedyFacts> {
  /** When the reading began: every fact is younger. */
  readonly began: Instant
  readonly scope: F['plan']['scope']
  /** Of the reading as a whole, such as a set that could not be read. */
  readonly gates: readonly GateResult[]
  readonly objects: F['plan']['objects']
  readonly skipped: readonly SkippedObject[]
}

/** A dry run and its hash. `observed`: there is nothing to do, and nothing was noted. */
export interface Planned<F extends RemedyFacts> {
  readonly state: RemedyState
  readonly plan: F['plan']
  readonly hash: string
}

/** Judges the candidates, and plans those that pass every gate: reads alone, and rows of the trail. */
export async function planRemedy<F extends RemedyFacts>(
  treatment: Treatment<F>,
  candidates: Candidates<F>,
  deps: RemedyDeps,
  signal: AbortSignal,
): Promise<Planned<F>> {
  const { remedy } = treatment
  const draft = await draftOf(treatment, candidates, deps, signal)
  const now = deps.clock.now()
  const plan = { ...draft, plannedAt: now, expiresAt: now + remedy.bounds.planAgeMaxMs }
  const hash = planHash(plan, deps.digest)
  const failed = failedOf(plan.gates)
  if (plan.objects.length === 0 && failed.length === 0) return { state: 'observed', plan, hash }
  const run = createRun(remedy.name, 'observed', deps)
  if (plan.objects.length === 0) {
    await run.move('block', { gates: plan.gates, outcome: `blocked by ${gatesText(failed)}` })
    return { state: run.state, plan, hash }
  }
  const count = plan.objects.length
  await run.move('classify', { outcome: `${count} to treat, ${plan.skipped.length} left alone` })
  run.of(hash)
  await run.move('seal', {
    outcome: `the evidence about ${count} objects stands in the plan and under its hash`,
  })
  await run.move('plan', { gates: plan.gates, outcome: `a dry run: ${plan.objects.map(keyOf).join(', ')}` })
  return { state: run.state, plan, hash }
}

/** The plan without its time: facts are judged as of when the reading began. */
async function draftOf<F extends RemedyFacts>(
  treatment: Treatment<F>,
  { began, scope, gates, objects, skipped }: Candidates<F>,
  deps: RemedyDeps,
  signal: AbortSignal,
): Promise<F['plan']> {
  const { remedy } = treatment
  const before = await actsOfHour(remedy, deps)
  let draft: Plan = {
    version: planVersion,
    remedy: remedy.name,
    program: deps.program,
    site: deps.site,
    scope,
    observedAt: began,
    plannedAt: began,
    expiresAt: began + remedy.bounds.planAgeMaxMs,
    gates,
    objects: [],
    skipped,
  }
  for (const candidate of objects) {
    const judged = await judgeCandidate(treatment, { draft, candidate, before }, deps, signal)
    if ('evidence' in judged)
      draft = { ...draft, objects: [...draft.objects, { ...candidate, evidence: judged.evidence }] }
    else draft = { ...draft, skipped: [...draft.skipped, { ...placeOf(candidate), why: judged.why }] }
  }
  return draft
}

interface Candidate<F extends RemedyFacts> {
  readonly draft: F['plan']
  readonly candidate: F['plan']['objects'][number]
  readonly before: number
}

/** The gates of the re-check are asked already now: a plan has nothing that could not be done if nothing changed. */
async function judgeCandidate<F extends RemedyFacts>(
  { remedy, readFresh }: Treatment<F>,
  { draft, candidate, before }: Candidate<F>,
  { clock }: RemedyDeps,
  signal: AbortSignal,
): Promise<{ readonly evidence: readonly string[] } | { readonly why: string }> {
  try {
    const fresh = await readFresh(candidate, signal)
    const actsOfRun = draft.objects.length
    const gates = judgeGates(remedy.rechecks, {
      plan: draft,
      planned: candidate,
      bounds: remedy.bounds,
      now: clock.now(),
      ...fresh,
      actsOfRun,
      actsOfHour: before + actsOfRun,
    })
    const failed = failedOf(gates)
    if (failed.length > 0) return { why: failed.map(({ gate, proof }) => `${gate}: ${proof}`).join('; ') }
    return { evidence: gates.map(({ gate, proof }) => `${gate}: ${proof}`) }
  } catch (error) {
    signal.throwIfAborted()
    return { why: masked(`its facts could not be read: ${reasonOf(error)}`) }
  }
}

function placeOf({ namespace, name }: SkippedObject): { namespace: string; name: string } {
  return { namespace, name }
}
