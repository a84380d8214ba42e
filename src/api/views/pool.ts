import type { Pool } from '../../domain/pool/index.ts'
import { liveRunnerStates } from '../../domain/runner/index.ts'
import type { PoolCounts } from '../../ports/ledger.ts'
import type { ApiPool } from '../contracts/pool.ts'

/** A pool of the ledger with its counts; without any it has neither jobs nor runners yet. */
export function poolView(pool: Pool, counts: PoolCounts | undefined): ApiPool {
  const runners = (states: readonly (keyof PoolCounts['runners'])[]): number =>
    states.reduce((sum, state) => sum + (counts?.runners[state] ?? 0), 0)
  return {
    name: pool.name,
    labels: [...pool.labels],
    minRunners: pool.minWarm,
    maxRunners: pool.maxRunners,
    queued: counts?.queued ?? 0,
    oldestWaitMs: counts?.oldestWaitMs ?? 0,
    live: runners(liveRunnerStates) + (counts?.unreadable ?? 0),
    idle: runners(['booting', 'polling']),
    busy: runners(['claimed', 'busy']),
  }
}
