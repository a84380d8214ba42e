import type { RecoveryBounds } from '../../../domain/recovery/index.ts'
import type { ReconcilerDeps } from '../../../loop/index.ts'
import type {
  DecisionLedger,
  IncidentLedger,
  PoolLedger,
  RunnerLedger,
  RunnerReader,
} from '../../../ports/ledger.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { StartProblems } from '../../pool/start-problems.ts'
import type { RecordEvent } from '../../record-event.ts'

export interface LivenessDeps extends ReconcilerDeps {
  readonly ledger: PoolLedger & RunnerLedger & RunnerReader & DecisionLedger & IncidentLedger
  readonly host: RunnerHost
  readonly startProblems: StartProblems
  readonly stopGraceMs: number
  readonly installation: string
  /** Bounds of irreversible acts in an hour. */
  readonly bounds: RecoveryBounds
  readonly recordEvent?: RecordEvent
}
