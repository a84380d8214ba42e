import type { Placed, Purpose } from '../ports/budget.ts'
import type { Clock } from '../ports/clock.ts'

/** Bounds the calls of one account that are under way at the same time. */
export interface Places {
  /** Resolves when there is room; `wait`: there was none for as long as a call can wait. Rejects when the signal is aborted. */
  take(purpose: Purpose, signal: AbortSignal): Promise<Placed>
}

/**
 * GitHub refuses an account's 101st concurrent request. Each process knows only its own calls: two processes stay below
 * that, with 20 to spare for other users of the account.
 */
export const callsAtOnceMax = 40
/** Places that resyncs and dispatch leave free, so that recovery never waits for them. */
export const recoveryPlaces = 10
/** The longest wait of a call; a call that hangs has ended by then. */
const waitMsMax = 15_000
const askAgainMs = 1_000

interface Waiting {
  readonly purpose: Purpose
  readonly seat: () => void
}

/** Callers are admitted in order of arrival, recovery before all others. */
export function createPlaces(clock: Pick<Clock, 'after'>, atOnceMax = callsAtOnceMax): Places {
  const queue: Waiting[] = []
  let inside = 0
  const isRoomFor = (purpose: Purpose): boolean =>
    inside < (purpose === 'recovery' ? atOnceMax : atOnceMax - recoveryPlaces)

  function seatNext(): void {
    const next = queue.find(({ purpose }) => purpose === 'recovery') ?? queue[0]
    if (next === undefined || !isRoomFor(next.purpose)) return
    queue.splice(queue.indexOf(next), 1)
    next.seat()
  }

  function seated(): Placed {
    inside += 1
    let isLeft = false
    return {
      kind: 'go',
      leave() {
        if (isLeft) return
        isLeft = true
        inside -= 1
        seatNext()
      },
    }
  }

  function wait(purpose: Purpose, signal: AbortSignal): Promise<Placed> {
    const { promise, resolve, reject } = Promise.withResolvers<Placed>()
    const waiting: Waiting = { purpose, seat: () => resolve(seated()) }
    const leaveQueue = (): void => {
      const at = queue.indexOf(waiting)
      if (at !== -1) queue.splice(at, 1)
    }
    const giveUp = (): void => {
      leaveQueue()
      reject(signal.reason)
    }
    const cancel = clock.after(waitMsMax, () => {
      leaveQueue()
      const why = `${atOnceMax} calls to the forge are under way at once, and none of them came back`
      resolve({ kind: 'wait', forMs: askAgainMs, why })
    })
    queue.push(waiting)
    signal.addEventListener('abort', giveUp)
    return promise.finally(() => {
      cancel()
      signal.removeEventListener('abort', giveUp)
    })
  }

  return {
    async take(purpose, signal) {
      signal.throwIfAborted()
      const isFirst = purpose === 'recovery' || queue.length === 0
      return isFirst && isRoomFor(purpose) ? seated() : wait(purpose, signal)
    },
  }
}
