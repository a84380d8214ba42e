import { HoldfastError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { RunnerLedger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import { heartbeatBatchMax, heartbeatEveryMs } from './settings.ts'

/** Heartbeats of the runners that wait here, sent once a second in one statement. */
export interface WaiterHeartbeat {
  /** The runner has begun to wait. */
  add(runnerId: number): void
  close(): void
}

/**
 * A runner that the ledger does not have as polling any more is marked as stale: it was fenced or has ended without a
 * wake-up, or was given a job by another process. Where the ledger does not answer the heartbeat is retried.
 */
export function createWaiterHeartbeat(
  ledger: RunnerLedger,
  clock: Clock,
  log: Log,
  {
    isWaiting,
    markStale,
  }: { isWaiting: (runnerId: number) => boolean; markStale: (runnerId: number) => void },
): WaiterHeartbeat {
  let due = new Set<number>()
  let cancel: (() => void) | null = null
  let isClosed = false

  function later(): void {
    if (isClosed || due.size === 0) return
    cancel ??= clock.after(heartbeatEveryMs, () => {
      void send().finally(() => {
        cancel = null
        later()
      })
    })
  }

  async function send(): Promise<void> {
    const ids = [...due].filter(isWaiting)
    due = new Set()
    for (let from = 0; from < ids.length; from += heartbeatBatchMax) {
      const some = ids.slice(from, from + heartbeatBatchMax)
      const polling = await ledger.waiting(some).catch((error: unknown) => logFailure(error))
      for (const id of some) {
        if (polling === null) due.add(id)
        else if (!polling.has(id)) markStale(id)
      }
    }
  }

  /** Every caller reports a ledger that does not answer; any other error is reported only from here. */
  function logFailure(error: unknown): null {
    const isSilence = error instanceof HoldfastError && error.entry.retryable
    if (!isSilence) log.error({ err: error }, 'the heartbeat of waiting runners failed and is retried')
    return null
  }

  return {
    add(runnerId) {
      due.add(runnerId)
      later()
    },
    close() {
      isClosed = true
      cancel?.()
    },
  }
}
