import type { Clock } from '../../../ports/clock.ts'
import type { DecisionLedger, HostLedger, RunnerLedger, RunnerReader } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { RecordEvent } from '../../record-event.ts'

export interface NodeHealthDeps {
  readonly clock: Clock
  readonly ledger: RunnerLedger & RunnerReader & HostLedger & DecisionLedger
  readonly host: RunnerHost
  readonly log: Log
  readonly metrics: Metrics
  readonly stopGraceMs: number
  readonly recordEvent?: RecordEvent
}
