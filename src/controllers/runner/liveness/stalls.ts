import type { Trouble } from '../../../domain/pool/index.ts'
import type { HostedRunner, RunnerHost } from '../../../ports/runner-host.ts'
import type { TroubleBoard } from '../../pool/trouble-board.ts'

/**
 * What keeps the runners of each pool from getting going. A pool is stalled once a start was given up and until one
 * gets going: meanwhile one at a time is tried, so that a wrong image does not make a pod for every job.
 */
export interface Stalls {
  met(pool: string, trouble: Trouble): void
  gaveUp(pool: string, trouble: Trouble | null): void
  gotGoing(pool: string): void
  /** All runners there are: troubles that nobody has any more are over. */
  compare(hosted: readonly HostedRunner[]): void
}

interface StallDeps {
  readonly host: Pick<RunnerHost, 'template'>
  readonly troubles: TroubleBoard
}

export function createStalls({ host, troubles }: StallDeps): Stalls {
  const shown = new Set<string>()
  /** By pool what its runners were made from when one was given up: from something else they may get going. */
  const stalled = new Map<string, string | null>()
  /** Since the last that was given up, one got going: one bad node does not stall a pool. */
  const lately = new Set<string>()

  function clear(pool: string): void {
    troubles.note(pool, 'boot', null)
    shown.delete(pool)
  }

  function unstall(pool: string): void {
    if (!stalled.delete(pool)) return
    troubles.stall(pool, false)
    clear(pool)
  }

  return {
    met(pool, trouble) {
      shown.add(pool)
      troubles.note(pool, 'boot', trouble)
    },
    gaveUp(pool, trouble) {
      if (trouble !== null) this.met(pool, trouble)
      if (lately.delete(pool)) return
      stalled.set(pool, host.template(pool))
      troubles.stall(pool, true)
    },
    gotGoing(pool) {
      lately.add(pool)
      unstall(pool)
    },
    compare(hosted) {
      for (const [pool, template] of stalled) if (host.template(pool) !== template) unstall(pool)
      const troubled = new Set(hosted.filter(({ trouble }) => trouble !== null).map(({ pool }) => pool))
      for (const pool of shown) if (!troubled.has(pool) && !stalled.has(pool)) clear(pool)
    },
  }
}
