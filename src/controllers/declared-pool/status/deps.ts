import type { Clock } from '../../../ports/clock.ts'
import type { DeclaredPools } from '../../../ports/declared-pools.ts'
import type { IncidentLedger, PoolLedger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { StartProblems } from '../../pool/start-problems.ts'

export interface StatusDeps {
  readonly clock: Clock
  readonly ledger: PoolLedger & IncidentLedger
  readonly host: RunnerHost
  readonly pools: DeclaredPools
  readonly startProblems: StartProblems
  readonly log: Log
}
