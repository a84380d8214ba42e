import type { RecoveryBounds } from '../../../domain/recovery/index.ts'
import type { Turns } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { TroubleBoard } from '../../pool/trouble-board.ts'
import type { Tell } from '../../tell.ts'

export interface LifecycleDeps {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly host: RunnerHost
  readonly log: Log
  readonly metrics: Metrics
  readonly stopGraceMs: number
  readonly installation: string
  /** How much may be done in an hour that cannot be taken back. */
  readonly bounds: RecoveryBounds
  /** Shared with those who start runners: what is sealed and released is not being started. */
  readonly turns: Turns
  /** How often everything is compared, beside what changes tell. */
  readonly compareEveryMs?: number
  /** How long a runner that the ledger does not count on is left; that of the domain unless said. */
  readonly strayGraceMs?: number | undefined
  /** Where people are told how runners ended; nowhere where there is no such place. */
  readonly tell?: Tell
  /** Where it is shown what ends say of a whole pool, and which runners only a person can judge. */
  readonly troubles?: Pick<TroubleBoard, 'showStrays' | 'note'>
}
