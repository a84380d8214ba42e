import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import type { Clock, Instant } from '../../../src/ports/clock.ts'
import { refuse } from './answers.ts'
import { callerKey } from './caller.ts'

const windowMs = 60_000
const pointsMax = 1_000_000
const atOnceMax = 100_000
/** GitHub's own, which allows 900 points a minute and 100 calls at once. */
const readPoints = 1
const writePoints = 5
const reads = new Set(['GET', 'HEAD', 'OPTIONS'])
/** GitHub's words for calls that come too fast, whatever is left of the budget. */
const message =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID and timestamp.'
/** Clients distinguish this limit from the other by the end of this address. */
const about = 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits'

/** How fast each caller may be from now on; null: as fast as he likes. */
export const paceSchema = z
  .strictObject({
    pointsPerMinute: z.int().min(1).max(pointsMax).nullable(),
    atOnceMax: z.int().min(1).max(atOnceMax).nullable(),
    /** GitHub refuses with either. */
    status: z.literal([403, 429]),
    /** Whether a refusal says how long to wait; GitHub's do not always. */
    saysHowLong: z.boolean(),
  })
  .partial()
type PaceOrder = z.infer<typeof paceSchema>

interface Pace {
  readonly pointsPerMinute: number | null
  readonly atOnceMax: number | null
  readonly status: 403 | 429
  readonly saysHowLong: boolean
}

export interface SecondaryLimit {
  order(order: PaceOrder): void
  /** Refuses calls that come too fast; each installation is counted for itself. */
  readonly middleware: MiddlewareHandler
}

interface CallerUsage {
  atOnce: number
  points: number
  spent: { readonly at: Instant; readonly points: number }[]
}

/** The limit of points in a minute and of calls at once. Nobody is limited until somebody orders it. */
export function createSecondaryLimit(clock: Clock): SecondaryLimit {
  const usages = new Map<string, CallerUsage>()
  let pace: Pace = { pointsPerMinute: null, atOnceMax: null, status: 403, saysHowLong: true }
  return {
    order(order) {
      pace = { ...pace, ...withoutNothing(order) }
      usages.clear()
    },
    async middleware(c, next) {
      if (pace.pointsPerMinute === null && pace.atOnceMax === null) return next()
      const usage = usageOf(usages, callerKey(c))
      const points = reads.has(c.req.method) ? readPoints : writePoints
      forget(usage, clock.now() - windowMs)
      const isTooMany = usage.atOnce >= (pace.atOnceMax ?? Number.POSITIVE_INFINITY)
      const isTooFast = usage.points + points > (pace.pointsPerMinute ?? Number.POSITIVE_INFINITY)
      if (isTooMany || isTooFast) {
        const waitSeconds = isTooFast ? secondsUntilRoom(usage, points, pace.pointsPerMinute ?? 0, clock) : 1
        c.res = tooFast(c, pace.status, pace.saysHowLong ? waitSeconds : null)
        return
      }
      usage.spent.push({ at: clock.now(), points })
      usage.points += points
      usage.atOnce += 1
      try {
        await next()
      } finally {
        usage.atOnce -= 1
      }
    },
  }
}

/** The given fields of an order; all others stay. */
function withoutNothing(order: PaceOrder): Partial<Pace> {
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined))
}

/** The refusal itself. */
export function tooFast(c: Context, status: ContentfulStatusCode, waitSeconds: number | null): Response {
  if (waitSeconds !== null) c.header('retry-after', String(waitSeconds))
  return refuse(c, status, message, undefined, about)
}

function usageOf(usages: Map<string, CallerUsage>, key: string): CallerUsage {
  const known = usages.get(key)
  if (known !== undefined) return known
  const fresh: CallerUsage = { atOnce: 0, points: 0, spent: [] }
  usages.set(key, fresh)
  return fresh
}

function forget(usage: CallerUsage, before: Instant): void {
  while (usage.spent[0] !== undefined && usage.spent[0].at <= before)
    usage.points -= usage.spent.shift()?.points ?? 0
}

function secondsUntilRoom(usage: CallerUsage, points: number, max: number, clock: Clock): number {
  let over = usage.points + points - max
  let roomAt = clock.now()
  for (const each of usage.spent) {
    if (over <= 0) break
    over -= each.points
    roomAt = each.at + windowMs
  }
  return Math.max(Math.ceil((roomAt - clock.now()) / 1000), 1)
}
