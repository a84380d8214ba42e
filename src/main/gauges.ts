import { runnerStates } from '../domain/runner/index.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Metrics } from '../ports/metrics.ts'

/** Reads the gauges from the ledger when they are asked for, so that none shows a value from long ago. */
export async function readGauges(ledger: Ledger, metrics: Metrics): Promise<void> {
  for (const { pool, queued, dispatchable, runners } of await ledger.counts()) {
    metrics.set('holdfast_jobs_queued', { pool }, queued)
    metrics.set('holdfast_jobs_dispatchable', { pool }, dispatchable)
    for (const state of runnerStates) metrics.set('holdfast_runners', { pool, state }, runners[state] ?? 0)
  }
}
