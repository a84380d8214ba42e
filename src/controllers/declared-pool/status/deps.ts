import type { Clock } from '../../../ports/clock.ts'
import type { DeclaredPools } from '../../../ports/declared-pools.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { TroubleBoard } from '../../pool/trouble-board.ts'

export interface StatusDeps {
  readonly clock: Clock
  readonly ledger: Ledger
  readonly host: RunnerHost
  readonly pools: DeclaredPools
  readonly troubles: TroubleBoard
  readonly log: Log
}
