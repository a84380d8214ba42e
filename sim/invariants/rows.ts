import { type Attempt, isOpenAttempt } from '../../src/domain/attempt/index.ts'
import type { Job } from '../../src/domain/job/index.ts'
import { type Pool, reroute } from '../../src/domain/pool/index.ts'
import { isLive, type Runner } from '../../src/domain/runner/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { Violation } from './violation.ts'

/** Rows of one moment: of the in-memory ledger, or of one snapshot of Postgres. */
export interface LedgerRows {
  /** Rows that only a newer version can read, by their names. */
  readonly unreadable?: ReadonlyMap<string, unknown>
  readonly jobs: ReadonlyMap<number, Job>
  readonly attempts: ReadonlyMap<number, Attempt>
  readonly runners: ReadonlyMap<number, Runner>
  /** The pools that exist; retired ones are left out. */
  readonly pools: ReadonlyMap<string, Pool>
  readonly now: Instant
}

/** The invariants of all rows together, for each implementation of the ledger. Each write checks its own rules. */
export function checkRows(rows: LedgerRows): Violation | null {
  const open = [...rows.attempts.values()].filter(isOpenAttempt)
  return stateAndCapacityAgree(rows, open) ?? attemptsAgree(rows, open) ?? queuedIsRouted(rows)
}

/** I7: a job holds capacity exactly while it has an open attempt. */
function stateAndCapacityAgree({ jobs }: LedgerRows, open: readonly Attempt[]): Violation | null {
  const held = new Set(open.map((attempt) => attempt.jobId))
  for (const job of jobs.values()) {
    const mustHold = job.state === 'claimed' || job.state === 'delivered' || job.state === 'registered'
    const mayHold = mustHold || job.state === 'running' // a foreign runner may run it
    if (mustHold && !held.has(job.id))
      return { invariant: 'I7', what: `job ${job.id} is ${job.state} without an attempt` }
    if (!mayHold && held.has(job.id))
      return { invariant: 'I7', what: `job ${job.id} is ${job.state} with an open attempt` }
  }
  return null
}

/** I7, I9: what is bound says the same of itself; a dead runner's attempt is not forgotten. */
function attemptsAgree({ jobs, runners, now }: LedgerRows, open: readonly Attempt[]): Violation | null {
  for (const attempt of open) {
    const of = `attempt ${attempt.id}`
    const job = jobs.get(attempt.jobId)
    const runner = runners.get(attempt.runnerId)
    if (job === undefined || runner === undefined) continue // refused at the write
    const runs = attempt.state === 'running'
    if (runs !== (job.state === 'running'))
      return { invariant: 'I7', what: `${of} is ${attempt.state}, and its job ${job.id} is ${job.state}` }
    if (runs && job.executor !== attempt.forgeRunnerName)
      return { invariant: 'I7', what: `${of} runs job ${job.id}, which runs on ${job.executor}` }
    if (runner.state === 'booting' || runner.state === 'polling')
      return { invariant: 'I7', what: `runner ${runner.id} is ${runner.state} with ${of} open` }
    if (!isLive(runner) && attempt.checkAt > now + dueWithinMs)
      return { invariant: 'I9', what: `${of} is open on dead runner ${runner.id}, and nobody looks at it` }
  }
  return null
}

/** Time is kept in milliseconds in one place and in microseconds in the other; and a look may just have been taken. */
const dueWithinMs = 10 * 60_000

/** I6: no job waits where nobody looks for it while a pool would serve it, nor in a pool that may not have it. */
function queuedIsRouted({ jobs, pools, unreadable }: LedgerRows): Violation | null {
  const all = [...pools.values()]
  for (const job of jobs.values()) {
    // A job that only a newer version can read is routed by that version.
    if (job.state !== 'queued' || unreadable?.has(`job ${job.id}`)) continue
    const moved = reroute(job, all)
    if (moved !== null) {
      const where = `job ${job.id} of ${job.repository} waits in ${job.pool ?? 'no pool'}`
      return { invariant: 'I6', what: `${where}; ${moved.to?.name ?? 'none'} would serve it` }
    }
  }
  return null
}

/**
 * I1: a runner of ours runs one job at a time, and it is that of its attempt. This holds as long as the forge does not
 * contradict itself: it gives a runner one job only.
 */
export function checkExecutors({ jobs, attempts }: LedgerRows): Violation | null {
  const open = [...attempts.values()].filter(isOpenAttempt)
  const byName = new Map(open.map((attempt) => [attempt.forgeRunnerName, attempt]))
  for (const job of jobs.values()) {
    if (job.state !== 'running' || job.executor === null) continue
    const attempt = byName.get(job.executor)
    if (attempt !== undefined && attempt.jobId !== job.id) {
      const what = `job ${job.id} runs on ${job.executor}, whose attempt ${attempt.id} is for job ${attempt.jobId}`
      return { invariant: 'I1', what }
    }
  }
  return null
}
