import type { Clock } from '../../../ports/clock.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { Tell } from '../../tell.ts'

export interface NodeHealthDeps {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly host: RunnerHost
  readonly log: Log
  readonly metrics: Metrics
  readonly stopGraceMs: number
  readonly tell?: Tell
}
