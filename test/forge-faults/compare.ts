import type { JobTruth, Truth } from '../../sim/forge/core/index.ts'
import type { ForgeJobRow } from './forge/start.ts'
import type { LedgerRow } from './ledger.ts'

export interface Comparison {
  /** Violations of an invariant, one line each. */
  readonly violations: readonly string[]
  /** Differences that may still resolve themselves. */
  readonly waiting: readonly string[]
  /** Jobs that were over before anybody ran them or deleted, and of which no message came: nobody has to do anything. */
  readonly unseen: number
}

export interface Sides {
  readonly truth: Truth
  readonly forgeJobs: readonly ForgeJobRow[]
  readonly ledger: ReadonlyMap<number, LedgerRow>
  /** How far the forge's clock is ahead. */
  readonly aheadMs: number
}

/** The ledger against what really happened, job by job. */
export function compare({ truth, forgeJobs, ledger, aheadMs }: Sides): Comparison {
  const violations: string[] = truth.overlaps.map((overlap) => `must never be: ${JSON.stringify(overlap)}`)
  const waiting: string[] = []
  let unseen = 0
  const rows = new Map(forgeJobs.map((row) => [row.id, asShown(row, aheadMs)]))
  for (const job of truth.jobs) {
    const row = rows.get(job.id) as ForgeJobRow
    const known = ledger.get(job.id)
    violations.push(...twice(job))
    if (job.status !== 'completed')
      waiting.push(`job ${job.id} is ${job.status} at the forge, ${shown(known)} here`)
    else if (known === undefined && (job.starts.length === 0 || job.deletedAt !== null)) unseen += 1
    else if (known === undefined || !known.ended) {
      waiting.push(`job ${job.id} ended as ${job.conclusion} at the forge, ${shown(known)} here`)
    } else if (job.deletedAt === null)
      violations.push(...differences(job, row, known).map((what) => `job ${job.id}: ${what}`))
  }
  for (const runner of truth.runners.filter(({ state }) => state !== 'gone')) {
    waiting.push(`runner ${runner.name} is still registered (${runner.state}, job ${runner.jobId ?? 'none'})`)
  }
  return { violations, waiting, unseen }
}

/** A job with its times as the forge shows them. */
function asShown(row: ForgeJobRow, aheadMs: number): ForgeJobRow {
  const shifted = (at: number | null) => (at === null ? null : at + aheadMs)
  const { createdAt, startedAt, completedAt } = row
  return {
    ...row,
    createdAt: createdAt + aheadMs,
    startedAt: shifted(startedAt),
    completedAt: shifted(completedAt),
  }
}

/** A job starts once; again only after its runner was lost. */
function twice({ id, starts, ends }: JobTruth): string[] {
  const lost = ends.filter(({ cause }) => cause === 'lost-communication').length
  return starts.length > 1 + lost ? [`job ${id} was started ${starts.length} times`] : []
}

function differences(job: JobTruth, row: ForgeJobRow, known: LedgerRow): string[] {
  const isLost = job.ends.at(-1)?.cause === 'lost-communication'
  const differs = (what: string, here: unknown, there: unknown) =>
    here === there ? [] : [`its ${what} is ${here} here and ${there} at the forge`]
  const isCalledOff = job.conclusion === 'cancelled' || job.conclusion === 'skipped'
  const state = isCalledOff ? 'cancelled' : 'completed'
  return [
    // Holdfast may find a runner's death, and so its job lost, before the forge does.
    ...(isLost && known.state === 'lost' ? [] : differs('state', known.state, state)),
    ...(isLost && known.conclusion === null ? [] : differs('conclusion', known.conclusion, job.conclusion)),
    ...differs('executor', known.executor, row.runnerName),
    ...differs('time of queueing', seconds(known.queuedAt), seconds(row.createdAt)),
    // The forge shows the time of queueing as the start of what never started.
    ...(row.startedAt === null && [null, seconds(row.createdAt)].includes(seconds(known.startedAt))
      ? []
      : differs('start', seconds(known.startedAt), seconds(row.startedAt))),
    ...(isLost && known.state === 'lost'
      ? []
      : differs('end', seconds(known.completedAt), seconds(row.completedAt))),
  ]
}

function shown(known: LedgerRow | undefined): string {
  return known === undefined
    ? 'unknown'
    : `${known.state}${known.quarantine === null ? '' : ' (quarantined)'}`
}

/** The forge's API has whole seconds. */
function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1_000)
}
