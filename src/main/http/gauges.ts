import { HoldfastError } from '../../domain/errors/index.ts'
import { incidentKinds } from '../../domain/incident/index.ts'
import { runnerStates } from '../../domain/runner/index.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'

type GaugeLedger = Pick<Ledger, 'counts' | 'incidents' | 'hosts'>
type GaugeMetrics = Pick<Metrics, 'set' | 'count'>

/**
 * Reads the gauges from the ledger when they are asked for, so that none shows a value from long ago. Where one part
 * cannot be read by a defect, that is logged, its gauges keep their values, and the others are shown; an unavailable ledger fails all.
 */
export async function readGauges(
  ledger: GaugeLedger,
  metrics: GaugeMetrics,
  log: Pick<Log, 'error'>,
): Promise<void> {
  const parts = { pools: readPools, hosts: readHosts, incidents: readIncidents }
  for (const [part, read] of Object.entries(parts)) {
    try {
      await read(ledger, metrics)
    } catch (error) {
      if (error instanceof HoldfastError && error.entry.retryable) throw error
      metrics.count('holdfast_task_failures_total', { task: 'gauges' })
      log.error({ part, err: error }, 'gauges could not be read; they show what they showed before')
    }
  }
}

async function readPools(ledger: GaugeLedger, metrics: GaugeMetrics): Promise<void> {
  for (const { pool, queued, dispatchable, oldestWaitMs, runners } of await ledger.counts()) {
    metrics.set('holdfast_jobs_queued', { pool }, queued)
    metrics.set('holdfast_jobs_dispatchable', { pool }, dispatchable)
    metrics.set('holdfast_job_oldest_wait_seconds', { pool }, oldestWaitMs / 1000)
    for (const state of runnerStates) metrics.set('holdfast_runners', { pool, state }, runners[state] ?? 0)
  }
}

async function readHosts(ledger: GaugeLedger, metrics: GaugeMetrics): Promise<void> {
  const hosts = (await ledger.hosts()).filter(({ endedAt }) => endedAt === null)
  metrics.set('holdfast_hosts', { state: 'live' }, hosts.filter(({ isLost }) => !isLost).length)
  metrics.set('holdfast_hosts', { state: 'lost' }, hosts.filter(({ isLost }) => isLost).length)
}

async function readIncidents(ledger: GaugeLedger, metrics: GaugeMetrics): Promise<void> {
  const open = await ledger.incidents(0)
  for (const kind of incidentKinds) {
    metrics.set('holdfast_incidents_open', { kind }, open.filter((one) => one.kind === kind).length)
  }
}
