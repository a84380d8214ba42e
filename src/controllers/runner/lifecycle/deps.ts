import type { RecoveryBounds } from '../../../domain/recovery/index.ts'
import type { KeyedMutex } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type {
  DeathLedger,
  DecisionLedger,
  HostSampleLedger,
  IncidentLedger,
  RecoveryLedger,
  RunnerLedger,
  RunnerReader,
} from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { StartProblems } from '../../pool/start-problems.ts'
import type { RecordEvent } from '../../record-event.ts'

export interface LifecycleDeps {
  readonly clock: Clock
  readonly ledger: RunnerLedger &
    RunnerReader &
    DeathLedger &
    HostSampleLedger &
    RecoveryLedger &
    DecisionLedger &
    IncidentLedger
  readonly host: RunnerHost
  readonly log: Log
  readonly metrics: Metrics
  readonly stopGraceMs: number
  readonly installation: string
  /** Bounds of irreversible acts in an hour. */
  readonly bounds: RecoveryBounds
  /** Shared with the starter: a runner that is being sealed or released is not started. */
  readonly runnerMutex: KeyedMutex
  /** How often host and ledger are resynced, in addition to changes. */
  readonly resyncEveryMs?: number
  /** How long a stray is left alone; the domain's default unless given. */
  readonly strayGraceMs?: number | undefined
  /** Records events about ends of runners; absent where the host has no events. */
  readonly recordEvent?: RecordEvent
  /** Where problems of a whole pool and lingering strays are reported. */
  readonly startProblems?: Pick<StartProblems, 'showStrays' | 'note'>
}
