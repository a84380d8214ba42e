import type { Instant } from '../domain/time.ts'
import type { Admission, Budget, BudgetReading, Purpose } from '../ports/budget.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import { createPlaces } from './places.ts'
import { createTurnKeeper } from './point-pace.ts'
import { type Pace, paceFactors, paceOf, refusalOf } from './rules.ts'

export interface BudgetState {
  readonly pace: Pace
  /** By how much the pauses between sweeps are longer now. */
  readonly paceFactor: number
  /** What is known of the forge's limit; null: nothing, or what was known is over. */
  readonly limit: number | null
  /** What is left, calls under way taken off. */
  readonly left: number | null
  readonly resetAt: Instant | null
  /** Until when the forge wants to hear nothing at all. */
  readonly pausedUntil: Instant | null
  /** When sweeps may go on; null: now. */
  readonly sweepsFrom: Instant | null
  /** The same as a duration. */
  readonly sweepsInMs: number | null
}

export interface AccountBudget extends Budget {
  state(): BudgetState
  /** Tells the other processes what was read here, and learns what they read. Called by a loop, never per call. */
  exchange(): Promise<void>
  /** How long a call would wait for its turn under the limit by points. */
  turnInMs(): number
  /** Rings when the others should know at once; gives the function that stops it. */
  onChange(ring: () => void): () => void
}

export interface AccountBudgetDeps {
  readonly ledger: Pick<Ledger, 'now' | 'noteBudget' | 'budget' | 'cursor' | 'moveCursor' | 'takeTurn'>
  /** Under this name the processes tell each other of it. */
  readonly account: string
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'after'>
  readonly log: Log
  /** The forge's limit in points a minute; null: it counts none. */
  readonly pointsPerMinute?: number | null | undefined
}

/** A call that got no answer in this time will tell nothing any more. */
const answerMsMax = 60_000
/** No forge's window is longer; a reset beyond it is a broken clock, and must not stop us for ever. */
const windowMsMax = 2 * 60 * 60_000
/** A reading whose reset is over by our clock holds this long, because it is our clock that is ahead. */
const readingMsMin = 5_000
/** Resets that are so near to each other name the same window. */
const windowJitterMs = 30_000
const pauseMsMax = 60 * 60_000

interface Held {
  readonly reading: BudgetReading
  readonly validUntil: Instant
}

/**
 * What is left of the forge's limit, as this process and the others know it. Calls that were let go and not
 * answered yet are taken off, so that many at once do not spend what only one of them saw.
 */
export function createAccountBudget(deps: AccountBudgetDeps): AccountBudget {
  const { clock, ledger, account } = deps
  const perMinute = deps.pointsPerMinute ?? null
  const turns = perMinute === null ? null : createTurnKeeper({ ...deps, perMinute })
  const places = createPlaces(clock)
  const pauseCursor = `forge pause ${account}`
  const listeners = new Set<() => void>()
  let held: Held | null = null
  let toldReading: BudgetReading | null = null
  let underWay: Instant[] = []
  let paused: { readonly until: Instant; readonly why: string } | null = null
  let isPauseTold = true
  let heardPauseCursor: Instant | null = null
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

  /** Of one window the least holds, whatever the order of the answers; a newer window replaces an older one. */
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
    const sweepsFrom = waits.length === 0 ? null : Math.max(...waits)
    const shown: Pace = sweepsFrom === null ? budgetPace : 'stopped'
    return {
      pace: shown,
      paceFactor: paceFactors[shown],
      limit: reading?.limit ?? null,
      left: left === null ? null : Math.max(0, left),
      resetAt: held?.validUntil ?? null,
      pausedUntil,
      sweepsFrom,
      sweepsInMs: sweepsFrom === null ? null : sweepsFrom - now,
    }
  }

  /** A change of pace is said once, and told to the others at once. */
  function show(): void {
    const now = state()
    if (now.pace === pace) return
    const fields = { account, from: pace, to: now.pace, left: now.left, limit: now.limit, why: paused?.why }
    pace = now.pace
    if (pace === 'full') deps.log.info(fields, "the forge's limit leaves room again: sweeps go at full pace")
    else deps.log.warn(fields, `the forge's limit runs low: sweeps are ${pace}`)
    for (const ring of listeners) ring()
  }

  function admit(purpose: Purpose): Admission {
    show()
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
    const isNews = reading !== null && reading !== toldReading
    const shared = isNews ? await ledger.noteBudget(account, reading) : await ledger.budget(account)
    if (isNews) toldReading = reading
    if (shared !== null) adopt(shared)
    show()
  }

  /** A pause is told as a time of the ledger's clock, because the processes' own may differ. */
  async function exchangePause(): Promise<void> {
    const mine = paused
    if (mine !== null && !isPauseTold) {
      const leftMs = mine.until - clock.now()
      if (leftMs > 0) await ledger.moveCursor(pauseCursor, (await ledger.now()) + leftMs)
      if (paused === mine) isPauseTold = true
    }
    const theirs = await ledger.cursor(pauseCursor)
    if (theirs === null || theirs === heardPauseCursor) return
    const leftMs = Math.min(theirs - (await ledger.now()), pauseMsMax)
    heardPauseCursor = theirs
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
    ...(turns !== null && { enter: turns.enter }),
    place: places.take,
    turnInMs: () => turns?.waitMs() ?? 0,
    note(reading) {
      underWay.shift()
      if (isSound(reading)) adopt(reading)
      show()
    },
    pause(forMs, why) {
      if (!hold(forMs, why)) return
      isPauseTold = false
      show()
      for (const ring of listeners) ring()
    },
    state() {
      show()
      return state()
    },
    exchange,
    onChange(ring) {
      listeners.add(ring)
      return () => listeners.delete(ring)
    },
  }
}

/** What a forge sends is not believed where it makes no sense. */
function isSound({ limit, remaining, resetAt }: BudgetReading): boolean {
  return [limit, remaining, resetAt].every(Number.isFinite) && limit > 0 && remaining >= 0
}
