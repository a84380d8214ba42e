import { incidentKinds } from '../domain/incident/index.ts'
import { runnerStates } from '../domain/runner/index.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Metrics } from '../ports/metrics.ts'

/** Reads the gauges from the ledger when they are asked for, so that none shows a value from long ago. */
export async function readGauges(
  ledger: Pick<Ledger, 'counts' | 'incidents' | 'hosts'>,
  metrics: Pick<Metrics, 'set'>,
): Promise<void> {
  for (const { pool, queued, dispatchable, oldestWaitMs, runners } of await ledger.counts()) {
    metrics.set('holdfast_jobs_queued', { pool }, queued)
    metrics.set('holdfast_jobs_dispatchable', { pool }, dispatchable)
    metrics.set('holdfast_job_oldest_wait_seconds', { pool }, oldestWaitMs / 1000)
    for (const state of runnerStates) metrics.set('holdfast_runners', { pool, state }, runners[state] ?? 0)
  }
  const hosts = await ledger.hosts()
  const live = hosts.filter(({ isLost, endedAt }) => !isLost && endedAt === null)
  metrics.set('holdfast_hosts', { state: 'live' }, live.length)
  metrics.set(
    'holdfast_hosts',
    { state: 'lost' },
    hosts.filter(({ isLost, endedAt }) => isLost && endedAt === null).length,
  )
  const open = await ledger.incidents(0)
  for (const kind of incidentKinds) {
    metrics.set('holdfast_incidents_open', { kind }, open.filter((one) => one.kind === kind).length)
  }
}
