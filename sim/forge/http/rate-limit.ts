import type { Context, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import type { Clock, Instant } from '../../../src/ports/clock.ts'
import { refuse } from './answers.ts'
import { callerKey } from './caller.ts'

/** The hourly limit of an installation of some size. */
const limitDefault = 15_000
const limitMax = 1_000_000
const windowMs = 60 * 60_000
const aboutLimits = 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api'

/** How the budget is to be from now on. */
export const budgetSchema = z.strictObject({
  limit: z.int().min(1).max(limitMax).optional(),
  remaining: z.int().min(0).max(limitMax).optional(),
  /** The number of an installation; without it all callers are meant. */
  installation: z.int().optional(),
  /** GitHub refuses with either. */
  status: z.literal([403, 429]).optional(),
  resetAfterSeconds: z
    .int()
    .min(0)
    .max(windowMs / 1000)
    .optional(),
})
type BudgetOrder = z.infer<typeof budgetSchema>

interface Budget {
  readonly limit: number
  readonly remaining: number
  readonly used: number
  /** In seconds, as GitHub has it. */
  readonly reset: number
}

export interface RateLimit {
  /** Of everybody, or of one installation. */
  order(order: BudgetOrder): void
  /** The caller's own. */
  budget(c: Context): Budget
  /** The remaining calls of the caller with the fewest. */
  least(): Budget
  /** Counts calls, refuses those beyond the budget, and shows the budget on every answer. */
  readonly middleware: MiddlewareHandler
}

interface Account {
  limit: number
  used: number
  resetAt: Instant
}

/** The hourly budget of each installation. An answer 304 costs nothing, and neither does asking for the budget. */
export function createRateLimit(clock: Clock, aheadMs: () => number): RateLimit {
  const accounts = new Map<string, Account>()
  let fresh: Account = { limit: limitDefault, used: 0, resetAt: 0 }
  let status: 403 | 429 = 403
  const renewed = (account: Account): Account => {
    if (clock.now() < account.resetAt) return account
    account.resetAt = clock.now() + windowMs
    account.used = 0
    return account
  }
  const accountOf = (key: string): Account => {
    const account = accounts.get(key) ?? { ...fresh }
    accounts.set(key, account)
    return renewed(account)
  }
  const shown = ({ limit, used, resetAt }: Account): Budget => {
    return { limit, remaining: limit - used, used, reset: Math.ceil((resetAt + aheadMs()) / 1000) }
  }
  const change = (account: Account, order: BudgetOrder): Account => {
    const { limit = account.limit, remaining, resetAfterSeconds } = order
    account.limit = limit
    account.used = Math.min(account.used, limit)
    if (remaining !== undefined) account.used = Math.max(limit - remaining, 0)
    if (resetAfterSeconds !== undefined) account.resetAt = clock.now() + resetAfterSeconds * 1000
    return account
  }
  return {
    order(order) {
      status = order.status ?? status
      if (order.installation !== undefined) {
        change(accountOf(`installation ${order.installation}`), order)
        return
      }
      // A later first-time caller starts with the limit that was ordered for all.
      fresh = change(renewed({ ...fresh }), order)
      for (const account of accounts.values()) change(renewed(account), order)
    },
    budget: (c) => shown(accountOf(callerKey(c))),
    least: () =>
      [fresh, ...accounts.values()]
        .map((account) => shown(renewed(account)))
        .reduce((least, each) => (each.remaining < least.remaining ? each : least)),
    async middleware(c, next) {
      const isFree = c.req.path === '/rate_limit'
      const account = accountOf(callerKey(c))
      if (isFree || account.used < account.limit) await next()
      else c.res = exceeded(c, status)
      if (!isFree && c.res.status !== 304 && account.used < account.limit) account.used += 1
      show(c, shown(renewed(account)))
    },
  }
}

function exceeded(c: Context, status: 403 | 429): Response {
  const what = 'API rate limit exceeded for installation. If you reach out to GitHub Support for help, please'
  return refuse(c, status, `${what} include the request ID and timestamp.`, undefined, aboutLimits)
}

function show(c: Context, { limit, remaining, used, reset }: Budget): void {
  c.header('x-ratelimit-limit', String(limit))
  c.header('x-ratelimit-remaining', String(remaining))
  c.header('x-ratelimit-used', String(used))
  c.header('x-ratelimit-reset', String(reset))
  c.header('x-ratelimit-resource', 'core')
}
