import type { Context, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import type { Clock, Instant } from '../../../src/ports/clock.ts'
import { refuse } from './answers.ts'

/** What an installation of some size has for an hour. */
const LIMIT_DEFAULT = 15_000
const LIMIT_MAX = 1_000_000
const WINDOW_MS = 60 * 60_000
const ABOUT_LIMITS = 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api'

/** How the budget is to be from now on. */
export const budgetSchema = z.strictObject({
  limit: z.int().min(1).max(LIMIT_MAX).optional(),
  remaining: z.int().min(0).max(LIMIT_MAX).optional(),
  /** GitHub refuses with either. */
  status: z.literal([403, 429]).optional(),
  resetAfterSeconds: z
    .int()
    .min(0)
    .max(WINDOW_MS / 1000)
    .optional(),
})
export type BudgetOrder = z.infer<typeof budgetSchema>

export interface Budget {
  readonly limit: number
  readonly remaining: number
  readonly used: number
  /** In seconds, as GitHub has it. */
  readonly reset: number
}

export interface RateLimit {
  order(order: BudgetOrder): void
  budget(): Budget
  /** Counts calls, refuses those beyond the budget, and shows the budget on every answer. */
  readonly middleware: MiddlewareHandler
}

/** The hourly budget of the one installation. An answer 304 costs nothing, and neither does asking for the budget. */
export function createRateLimit(clock: Clock, aheadMs: () => number): RateLimit {
  let limit = LIMIT_DEFAULT
  let used = 0
  let resetAt: Instant = 0
  let status: 403 | 429 = 403
  const budget = (): Budget => {
    if (clock.now() >= resetAt) {
      resetAt = clock.now() + WINDOW_MS
      used = 0
    }
    return { limit, remaining: limit - used, used, reset: Math.ceil((resetAt + aheadMs()) / 1000) }
  }
  return {
    order(order) {
      budget()
      limit = order.limit ?? limit
      used = Math.min(used, limit)
      if (order.remaining !== undefined) used = Math.max(limit - order.remaining, 0)
      if (order.resetAfterSeconds !== undefined) resetAt = clock.now() + order.resetAfterSeconds * 1000
      status = order.status ?? status
    },
    budget,
    async middleware(c, next) {
      const isFree = c.req.path === '/rate_limit'
      if (isFree || budget().remaining > 0) await next()
      else c.res = exceeded(c, status)
      if (!isFree && c.res.status !== 304 && used < limit) used += 1
      show(c, budget())
    },
  }
}

function exceeded(c: Context, status: 403 | 429): Response {
  const what = 'API rate limit exceeded for installation. If you reach out to GitHub Support for help, please'
  return refuse(c, status, `${what} include the request ID and timestamp.`, undefined, ABOUT_LIMITS)
}

function show(c: Context, { limit, remaining, used, reset }: Budget): void {
  c.header('x-ratelimit-limit', String(limit))
  c.header('x-ratelimit-remaining', String(remaining))
  c.header('x-ratelimit-used', String(used))
  c.header('x-ratelimit-reset', String(reset))
  c.header('x-ratelimit-resource', 'core')
}
