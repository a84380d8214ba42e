import { HoldfastError } from '../../../src/domain/errors/index.ts'
import {
  type AppliedPlan,
  applyChanges,
  type Change,
  type Evidence,
  evidenceIn,
  type TimelineEntry,
} from '../../../src/domain/job-event/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { Cause, TimelineRow, Wake } from '../../../src/ports/ledger.ts'
import { assertInvariants } from './invariants.ts'
import { routedBack } from './placing.ts'
import { copyState, type State } from './state.ts'
import { refuseUnread } from './unreadable.ts'

/** One write: the rows, the time that all of it has, and the notifications at its commit. */
export interface Tx {
  readonly state: State
  readonly now: Instant
  readonly wakes: Wake[]
  /** Ids are given once, also when the write that took them is undone. */
  readonly nextId: (table: string) => number
}

/** Runs a write: all of it, checked, or nothing. */
export function transact<Result>(tx: Tx, body: (tx: Tx) => Result): Result {
  const before = copyState(tx.state)
  try {
    const result = body(tx)
    refuseUnread(before, tx.state)
    assertInvariants(tx.state)
    return result
  } catch (error) {
    Object.assign(tx.state, before)
    throw error
  }
}

/** Applies a plan: its evidence first, then every transition with its timeline row. */
export function applyPlan(tx: Tx, changes: readonly Change[], cause: Cause): void {
  for (const entry of applyUntold(tx, changes)) appendTimeline(tx, cause, entry)
}

/** Applies a plan without its timeline rows, which it gives. */
export function applyUntold(tx: Tx, changes: readonly Change[]): AppliedPlan['timeline'] {
  const { state, now } = tx
  const evidenceIds = evidenceIn(changes).map((evidence) => storeEvidence(tx, evidence))
  const applied = applyChanges(state, changes, () => nextOf(evidenceIds), now)
  const routed: TimelineEntry[] = []
  for (const moved of applied.jobs) {
    const job = routedBack(state, moved)
    state.jobs.set(job.id, job)
    if (job.state === 'queued') wakeJobs(tx, job.pool)
    if (job === moved) continue
    const facts = { from: moved.pool, to: job.pool }
    routed.push({ subject: 'job', subjectId: job.id, jobId: job.id, kind: 'routed', facts })
  }
  for (const attempt of applied.attempts) {
    state.attempts.set(attempt.id, attempt)
    if (attempt.registeredAt !== null || attempt.endedAt !== null) state.jits.delete(attempt.id)
  }
  for (const runner of applied.runners) state.runners.set(runner.id, runner)
  for (const opened of applied.opened) {
    const id = tx.nextId('attempts')
    state.attempts.set(id, { id, ...opened })
  }
  return [...applied.timeline, ...routed]
}

/** Plans bring their evidence in the order in which their changes ask for it. */
function nextOf(ids: number[]): number {
  const id = ids.shift()
  if (id === undefined)
    throw new HoldfastError('E_BUG', { what: 'a plan asks for evidence that it did not bring' })
  return id
}

function storeEvidence(tx: Tx, evidence: Evidence): number {
  const id = tx.nextId('evidence')
  tx.state.evidence.set(id, {
    id,
    kind: evidence.kind,
    runnerId: evidence.kind === 'runner-death' ? evidence.runnerId : null,
    sealedAt: tx.now,
    record: { ...evidence.record },
  })
  return id
}

/** One timeline row. */
export function appendTimeline(
  tx: Tx,
  cause: Cause,
  entry: Pick<TimelineRow, 'subject' | 'subjectId' | 'jobId' | 'kind' | 'facts'>,
): void {
  tx.state.timeline.push({
    id: tx.nextId('timeline'),
    at: tx.now,
    ...entry,
    source: cause.source,
    rule: cause.rule ?? null,
  })
}

export function wakeJobs(tx: Tx, pool: string | null): void {
  tx.wakes.push({ kind: 'jobs', pool: pool ?? '' })
}
