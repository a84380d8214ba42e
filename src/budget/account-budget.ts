import type { Instant } from '../domain/time.ts'
import type { Admission, Budget, BudgetReading, Purpose } from '../ports/budget.ts'
import type { Clock } from '../ports/clock.ts'
import type { BudgetLedger, CursorLedger, LedgerClock } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import { createPlaces } from './places.ts'
import { createPointLimiter } from './point-limiter.ts'
import { type Pace, paceFactors, paceOf, refusalOf } from './rules.ts'

export interface BudgetState {
  readonly pace: Pace
  /** The factor by which the pauses between resyncs are longer now. */
  readonly paceFactor: number
  /** The forge's limit; null: it is not known, or its window is over. */
  readonly limit: number | null
  /** Calls left in the window, less the calls under way. */
  readonly left: number | null
  readonly resetAt: Instant | null
  /** The forge accepts no call before this time. */
  readonly pausedUntil: Instant | null
  /** When resyncs may go on; null: now. */
  readonly resyncsFrom: Instant | null
  /** The same as a duration. */
  readonly resyncsInMs: number | null
}

export interface AccountBudget extends Budget {
  state(): BudgetState
  /** Publishes the readings of this process to the others and adopts theirs. Called by a loop, never per call. */
  exchange(): Promise<void>
  /** How long a call would wait under the limit by points. */
  pointWaitMs(): number
  /** Notifies when the other processes should learn of a change at once; returns the function that unsubscribes. */
  onChange(notify: () => void): () => void
}

export interface AccountBudgetDeps {
  readonly ledger: LedgerClock & CursorLedger & BudgetLedger
  /** The name under which processes share this budget. */
  readonly account: string
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'after'>
  readonly log: Log
  /** The forge's limit in points a minute; null: it counts none. */
  readonly pointsPerMinute?: number | null | undefined
}

/** A call without an answer after this time is not counted as under way any more. */
const answerMsMax = 60_000
/** No forge's window is longer; a reset beyond it is a broken clock, and must not stop us for ever. */
const windowMsMax = 2 * 60 * 60_000
/** A reading whose reset has passed by our clock stays valid this long: our clock is ahead then. */
const readingMsMin = 5_000
/** Resets this close to each other belong to the same window. */
const windowJitterMs = 30_000
const pauseMsMax = 60 * 60_000

interface Held {
  readonly reading: BudgetReading
  readonly validUntil: Instant
}

/**
 * The rest of the forge's limit, as this process and the others know it. Calls that were admitted and not answered yet
 * are subtracted, so that parallel calls do not spend the same rest twice.
 */
export function createAccountBudget(deps: AccountBudgetDeps): AccountBudget {
  const { clock, ledger, account } = deps
  const perMinute = deps.pointsPerMinute ?? null
  const pointLimiter = perMinute === null ? null : createPointLimiter({ ...deps, perMinute })
  const places = createPlaces(clock)
  const pauseCursor = `forge pause ${account}`
  const listeners = new Set<() => void>()
  let held: Held | null = null
  let publishedReading: BudgetReading | null = null
  let underWay: Instant[] = []
  let paused: { readonly until: Instant; readonly why: string } | null = null
  let isPausePublished = true
  let observedPauseCursor: Instant | null = null
  let pace: Pace = 'full'

  function current(): BudgetReading | null {
    if (held !== null && clock.now() >= held.validUntil) held = null
    return held?.reading ?? null
  }

  function leftOf(reading: BudgetReading): number {
    const answeredBefore = clock.now() - answerMsMax
    underWay = underWay.filter((since) => since > answeredBefore)
    return reading.remaining - underWay.length
  }

  /** The lowest reading of a window holds, in whatever order the answers arrive; a newer window replaces an older one. */
  function adopt(reading: BudgetReading): void {
    const before = current()
    const apartMs = before === null ? Number.POSITIVE_INFINITY : reading.resetAt - before.resetAt
    if (before !== null && apartMs <= windowJitterMs) {
      if (apartMs < -windowJitterMs || reading.remaining >= before.remaining) return
    }
    const now = clock.now()
    const validUntil = Math.min(Math.max(reading.resetAt, now + readingMsMin), now + windowMsMax)
    held = { reading, validUntil }
  }

  function state(): BudgetState {
    const reading = current()
    const left = reading === null ? null : leftOf(reading)
    const now = clock.now()
    const pausedUntil = paused !== null && paused.until > now ? paused.until : null
    const budgetPace: Pace = reading === null || left === null ? 'full' : paceOf(reading, left)
    const stoppedUntil = budgetPace === 'stopped' && held !== null ? held.validUntil : null
    const waits = [pausedUntil, stoppedUntil].filter((at) => at !== null)
    const resyncsFrom = waits.length === 0 ? null : Math.max(...waits)
    const shown: Pace = resyncsFrom === null ? budgetPace : 'stopped'
    return {
      pace: shown,
      paceFactor: paceFactors[shown],
      limit: reading?.limit ?? null,
      left: left === null ? null : Math.max(0, left),
      resetAt: held?.validUntil ?? null,
      pausedUntil,
      resyncsFrom,
      resyncsInMs: resyncsFrom === null ? null : resyncsFrom - now,
    }
  }

  /** Logs a change of pace once, and wakes the exchange with the other processes. */
  function logPaceChange(): void {
    const now = state()
    if (now.pace === pace) return
    const fields = { account, from: pace, to: now.pace, left: now.left, limit: now.limit, why: paused?.why }
    pace = now.pace
    if (pace === 'full') deps.log.info(fields, "the forge's limit leaves room again: resyncs go at full pace")
    else deps.log.warn(fields, `the forge's limit runs low: resyncs are ${pace}`)
    for (const notify of listeners) notify()
  }

  function admit(purpose: Purpose): Admission {
    logPaceChange()
    const now = clock.now()
    if (paused !== null && paused.until > now) {
      return { kind: 'wait', forMs: paused.until - now, why: paused.why }
    }
    const reading = current()
    const why = reading === null ? null : refusalOf(purpose, reading, leftOf(reading))
    if (why !== null && held !== null) return { kind: 'wait', forMs: held.validUntil - now, why }
    underWay.push(now)
    return { kind: 'go' }
  }

  async function exchange(): Promise<void> {
    await exchangePause()
    const reading = current()
    const isNews = reading !== null && reading !== publishedReading
    const shared = isNews ? await ledger.noteBudget(account, reading) : await ledger.budget(account)
    if (isNews) publishedReading = reading
    if (shared !== null) adopt(shared)
    logPaceChange()
  }

  /** A pause is published as a time of the ledger's clock, because the clocks of processes may differ. */
  async function exchangePause(): Promise<void> {
    const mine = paused
    if (mine !== null && !isPausePublished) {
      const leftMs = mine.until - clock.now()
      if (leftMs > 0) await ledger.moveCursor(pauseCursor, (await ledger.now()) + leftMs)
      if (paused === mine) isPausePublished = true
    }
    const theirs = await ledger.cursor(pauseCursor)
    if (theirs === null || theirs === observedPauseCursor) return
    const leftMs = Math.min(theirs - (await ledger.now()), pauseMsMax)
    observedPauseCursor = theirs
    hold(leftMs, 'the forge asked for silence')
  }

  function hold(forMs: number, why: string): boolean {
    const until = clock.now() + Math.min(Math.max(forMs, 0), pauseMsMax)
    if (until <= (paused?.until ?? clock.now())) return false
    paused = { until, why }
    return true
  }

  return {
    admit,
    ...(pointLimiter !== null && { enter: pointLimiter.enter }),
    place: places.take,
    pointWaitMs: () => pointLimiter?.waitMs() ?? 0,
    note(reading) {
      underWay.shift()
      if (isSound(reading)) adopt(reading)
      logPaceChange()
    },
    pause(forMs, why) {
      if (!hold(forMs, why)) return
      isPausePublished = false
      logPaceChange()
      for (const notify of listeners) notify()
    },
    state() {
      logPaceChange()
      return state()
    },
    exchange,
    onChange(notify) {
      listeners.add(notify)
      return () => listeners.delete(notify)
    },
  }
}

/** A reading that makes no sense is ignored. */
function isSound({ limit, remaining, resetAt }: BudgetReading): boolean {
  return [limit, remaining, resetAt].every(Number.isFinite) && limit > 0 && remaining >= 0
}
