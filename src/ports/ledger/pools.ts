import type { Pool } from '../../domain/pool/index.ts'
import type { Runner } from '../../domain/runner/index.ts'
import type { Cause, Leader } from './cause.ts'

/** The pools, and how much work and how many runners each has. */
export interface PoolLedger {
  /**
   * Makes these the pools there are, and routes the queued jobs again, also those that no pool served before. A pool that
   * is not among them is retired: no job is routed to it any more, and a job that comes back from a runner of it is routed
   * again. Its runners live until they are removed.
   */
  putPools(pools: readonly Pool[], cause: Cause, leader?: Leader | null): Promise<'put' | 'deposed'>
  pools(): Promise<readonly Pool[]>
  /** Every pool there is, and the retired ones that still have live runners. */
  counts(): Promise<readonly PoolCounts[]>
}

export interface PoolCounts {
  readonly pool: string
  /** Jobs that a runner could be given now: not held, not backing off, not over a cap. */
  readonly dispatchable: number
  readonly queued: number
  /** How long the job that waits longest has waited, also where it is held or backs off; 0: none waits. */
  readonly oldestWaitMs: number
  readonly runners: Readonly<Record<Runner['state'], number>>
  /** Live runners in states that only a newer version knows: they use up capacity, and none of them is idle. */
  readonly unreadable: number
}
