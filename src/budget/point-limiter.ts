import { HoldfastError } from '../domain/errors/index.ts'
import { leaseMs, pointCursor, pointPaceOf } from '../domain/queue/index.ts'
import type { Instant } from '../domain/time.ts'
import type { Admission, Purpose } from '../ports/budget.ts'
import type { Clock } from '../ports/clock.ts'
import type { CursorLedger } from '../ports/ledger.ts'

/** A rate limiter for the calls of one account, under a limit that the forge counts in points. */
export interface PointLimiter {
  /** Resolves when the call may go; `wait`: that is later than a call can wait. */
  enter(points: number, purpose: Purpose, signal: AbortSignal): Promise<Admission>
  /** How long a call that arrives now would wait. */
  waitMs(): number
}

export interface PointLimiterDeps {
  readonly ledger: CursorLedger
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly account: string
  readonly perMinute: number
}

/** The longest wait of a call here; a claim has its deadline. */
const waitMsMax = 15_000
/** Points that recovery spent without waiting are subtracted from later chunks, at most this many chunks at once. */
const debtChunksMax = 2

/** Processes share the limit through the ledger: a process without points takes a chunk of them there. */
export function createPointLimiter({ ledger, clock, account, perMinute }: PointLimiterDeps): PointLimiter {
  const { msPerPoint, burstMs, chunkPoints } = pointPaceOf(perMinute)
  const cursor = pointCursor(perMinute, account)
  let leased: { readonly points: number; readonly until: Instant } = { points: 0, until: 0 }
  let debt = 0
  let queued = 0
  let turn: Promise<unknown> = Promise.resolve()

  function spend(points: number): boolean {
    if (clock.now() >= leased.until || leased.points < points) return false
    leased = { ...leased, points: leased.points - points }
    return true
  }

  function waitMs(): number {
    return queued * msPerPoint
  }

  function tooFar(forMs: number): Admission {
    const until = new Date(clock.now() + forMs).toISOString()
    const why = `it waits for the forge's limit of ${perMinute} points a minute until ${until.slice(11, 19)} UTC`
    return { kind: 'wait', forMs, why }
  }

  /** Calls go one after the other, in order of arrival. */
  async function whenDue(points: number, signal: AbortSignal): Promise<Admission> {
    const giveUpAt = clock.now() + waitMsMax
    while (!spend(points)) {
      const inMs = await takeChunk()
      if (inMs === 0) continue
      if (clock.now() + inMs > giveUpAt) return tooFar(inMs)
      await clock.sleep(Math.ceil(inMs), signal)
    }
    return { kind: 'go' }
  }

  async function takeChunk(): Promise<number> {
    const owed = Math.min(debt, chunkPoints * debtChunksMax)
    const inMs = await ledger.takeTurn(cursor, (chunkPoints + owed) * msPerPoint, burstMs + owed * msPerPoint)
    if (inMs > 0) return inMs
    debt -= owed
    leased = { points: chunkPoints, until: clock.now() + leaseMs }
    return 0
  }

  return {
    waitMs,
    async enter(points, purpose, signal) {
      if (purpose === 'recovery') {
        if (!spend(points)) debt += points
        return { kind: 'go' }
      }
      if (queued === 0 && spend(points)) return { kind: 'go' }
      if (waitMs() > waitMsMax) return tooFar(waitMs())
      queued += points
      const mine = turn.then(() => whenDue(points, signal))
      turn = mine.catch(() => undefined)
      try {
        return await mine
      } catch (error) {
        // An unavailable ledger blocks no call: the forge's own refusals still do.
        if (error instanceof HoldfastError && error.code === 'E_LEDGER_UNAVAILABLE') return { kind: 'go' }
        throw error
      } finally {
        queued -= points
      }
    },
  }
}
