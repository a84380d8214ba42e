import type { DeathRecord } from '../../../domain/death/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Cause, Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { logDeath } from './log-lines.ts'
import { bounded } from './record-size.ts'
import { short } from './short-record.ts'

export interface SealDeps {
  readonly ledger: Pick<Ledger, 'sealDeath'>
  readonly log: Log
  readonly metrics: Metrics
}

export interface Death {
  readonly runner: Pick<Runner, 'id' | 'name' | 'pool'>
  readonly record: DeathRecord
  /** For the runner's row, in short. */
  readonly reason: string
}

/** The one way to a sealed record: it is bounded, goes to the ledger first, and is then told once. */
export async function sealDeath(
  { runner, record, reason }: Death,
  cause: Cause,
  { ledger, log, metrics }: SealDeps,
): Promise<'sealed' | 'already'> {
  const kept = bounded(short(record))
  const sealed = await ledger.sealDeath(runner.id, kept, reason, cause)
  if (sealed === 'already') return 'already'
  // Counted by who made it so; where the forge's word comes later, that is whoever heard it.
  if (sealed === 'lost') metrics.count('holdfast_jobs_lost_total', { pool: runner.pool })
  metrics.count('holdfast_deaths_total', { class: kept.class })
  if (kept.outcome === 'incomplete') metrics.count('holdfast_deaths_incomplete_total', { class: kept.class })
  if (kept.class === 'vanished') metrics.count('holdfast_runners_vanished_total', { pool: runner.pool })
  logDeath(runner, kept, log)
  return 'sealed'
}
