import type { RecoveryBounds } from '../../../domain/recovery/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { TroubleBoard } from '../../pool/trouble-board.ts'
import type { Tell } from '../../tell.ts'
import type { KeyedDeps } from '../keyed/index.ts'

export interface LivenessDeps extends KeyedDeps {
  readonly ledger: Ledger
  readonly host: RunnerHost
  readonly troubles: TroubleBoard
  readonly stopGraceMs: number
  readonly installation: string
  /** How much may be done in an hour that cannot be taken back. */
  readonly bounds: RecoveryBounds
  readonly tell?: Tell
}
