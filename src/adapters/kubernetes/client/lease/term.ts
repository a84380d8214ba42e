import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Clock, Instant } from '../../../../ports/clock.ts'
import type { Term } from '../../../../ports/leadership.ts'

/** Two clocks: the wall's counts while the machine sleeps, the steady one cannot be set back. */
export interface Clocks {
  readonly clock: Clock
  readonly steadyMs: () => number
}

export interface ClockReading {
  readonly wall: Instant
  readonly steady: number
}

export interface OwnTerm extends Term {
  /** The lease was renewed by a request that was sent at this moment. */
  renewed(sentAt: ClockReading): void
  end(reason: string): void
  readonly isOver: boolean
}

/**
 * A term that holds for `validMs` from the sending of the last renewal, which is less than the lease itself holds for
 * everybody else. It judges itself by reading clocks: a process that was stopped finds its term over at the first
 * look, whether or not a timer had its turn.
 */
export function beginTerm(
  { holder, token, closing = null }: Pick<Term, 'holder' | 'token'> & Partial<Pick<Term, 'closing'>>,
  sentAt: ClockReading,
  validMs: number,
  { clock, steadyMs }: Clocks,
  onEnd: (reason: string) => void,
): OwnTerm {
  const abort = new AbortController()
  let last = sentAt
  let cancel = () => {}
  let over: string | null = null

  function end(reason: string): void {
    if (over !== null) return
    over = reason
    cancel()
    abort.abort(new HoldfastError('E_CLUSTER_NOT_LEADER', { holder, reason }))
    onEnd(reason)
  }
  const passedMs = () => Math.max(clock.now() - last.wall, steadyMs() - last.steady)
  function look(): void {
    if (passedMs() >= validMs) end(`its lease was not renewed for ${Math.round(passedMs())} ms`)
  }
  function watch(): void {
    cancel()
    cancel = clock.after(Math.max(1, validMs - passedMs()), () => {
      look()
      if (over === null) watch() // timers may fire a moment early by the clocks
    })
  }
  watch()

  return {
    holder,
    token,
    closing,
    wonAt: sentAt.wall,
    signal: abort.signal,
    get isOver() {
      return over !== null
    },
    check() {
      look()
      if (over !== null) throw new HoldfastError('E_CLUSTER_NOT_LEADER', { holder, reason: over })
    },
    renewed(at) {
      look()
      last = at
      if (over === null) watch()
    },
    end,
  }
}
