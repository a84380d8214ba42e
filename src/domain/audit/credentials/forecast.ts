import type { LimitedBudgetFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'

/** How fast a budget is spent, and where that leads. */
export interface Forecast {
  readonly perHour: number
  /** Null: not before the budget is renewed. */
  readonly emptyAt: Instant | null
  readonly basis: string
}

const hourMs = 3_600_000
/** GitHub renews the budget of its REST API an hour after its first use. */
const windowMs = hourMs
/** Below it the average since the window began is chance. */
const elapsedMsMin = 5 * 60_000
/** Two readings that are closer measure single calls. */
const spanMsMin = 60_000

/** From two readings of the same window, else from the average since the window began; null where it is too early to say. */
export function forecast(latest: LimitedBudgetFact, earlier: LimitedBudgetFact | null): Forecast | null {
  const { limit, remaining, resetAt, at } = latest
  if (earlier !== null && earlier.resetAt === resetAt && at - earlier.at >= spanMsMin)
    return forecastAt(latest, earlier.remaining - remaining, at - earlier.at, 'between two readings')
  const elapsedMs = at - (resetAt - windowMs)
  if (elapsedMs < elapsedMsMin || elapsedMs > windowMs) return null
  return forecastAt(latest, limit - remaining, elapsedMs, 'since the hour began')
}

function forecastAt(
  { remaining, resetAt, at }: LimitedBudgetFact,
  used: number,
  elapsedMs: number,
  basis: string,
): Forecast {
  const emptyAt = used <= 0 ? null : at + (remaining * elapsedMs) / used
  return {
    perHour: Math.round((Math.max(0, used) * hourMs) / elapsedMs),
    emptyAt: emptyAt !== null && emptyAt < resetAt ? emptyAt : null,
    basis,
  }
}
