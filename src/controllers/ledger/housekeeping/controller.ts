import { again, done, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'

export interface HousekeepingDeps {
  readonly ledger: Ledger
  /** Ended jobs move to the archive after this. */
  readonly archiveAfterMs: number
  /** Archived jobs are dropped after this. */
  readonly keepMs: number
}

const sweepMs = 60_000
const batchSize = 200
/** Rings of pods that are no runners of ours, or not yet known to be: an hour of a busy cluster's, some 50 MB. */
const strangersMax = 10_000
/** Between two batches, so that a backlog does not take the database away from dispatch. */
const pauseMs = 100

/** Keeps the open tables small, so that a claim costs the same after a year as on the first day. */
export function housekeepingLoop(deps: HousekeepingDeps): Loop {
  return {
    name: 'housekeeping',
    sweepMs,
    wokenBy: () => false,
    pass: () => tidy(deps),
  }
}

async function tidy({ ledger, archiveAfterMs, keepMs }: HousekeepingDeps): Promise<Outcome> {
  const archived = await ledger.archive(archiveAfterMs, batchSize)
  const purged = await ledger.purge(keepMs, batchSize)
  const rings = await ledger.dropRings({ olderThanMs: keepMs, strangersMax, limit: batchSize })
  return archived < batchSize && purged < batchSize && rings < batchSize ? done : again(pauseMs)
}
