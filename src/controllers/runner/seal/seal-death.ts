import type { DeathRecord } from '../../../domain/death/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Cause, DeathLedger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { logDeath } from './log-lines.ts'
import { bounded } from './record-size.ts'
import { short } from './short-record.ts'

export interface SealDeps {
  readonly ledger: DeathLedger
  readonly log: Log
  readonly metrics: Metrics
}

export interface Death {
  readonly runner: Pick<Runner, 'id' | 'name' | 'pool'>
  readonly record: DeathRecord
  /** The short reason for the runner's row. */
  readonly reason: string
}

/** Seals a record, the only way to do so: it is bounded, written to the ledger first, and then logged once. */
export async function sealDeath(
  { runner, record, reason }: Death,
  cause: Cause,
  { ledger, log, metrics }: SealDeps,
): Promise<'sealed' | 'already'> {
  const kept = bounded(short(record))
  const sealed = await ledger.sealDeath(runner.id, kept, reason, cause)
  if (sealed === 'already') return 'already'
  // Counted by the write that made the job lost; where the job event comes later, by the loop that applies it.
  if (sealed === 'lost') metrics.count('holdfast_jobs_lost_total', { pool: runner.pool })
  metrics.count('holdfast_deaths_total', { class: kept.class })
  if (kept.outcome === 'incomplete') metrics.count('holdfast_deaths_incomplete_total', { class: kept.class })
  if (kept.class === 'vanished') metrics.count('holdfast_runners_vanished_total', { pool: runner.pool })
  logDeath(runner, kept, log)
  return 'sealed'
}
