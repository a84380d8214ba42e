import type { Context, MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import type { Clock, Instant } from '../../../src/ports/clock.ts'
import { refuse } from './answers.ts'
import { callerKey } from './caller.ts'

const WINDOW_MS = 60_000
const POINTS_MAX = 1_000_000
const AT_ONCE_MAX = 100_000
/** GitHub's own, which allows 900 points a minute and 100 calls at once. */
const READ_POINTS = 1
const WRITE_POINTS = 5
const reads = new Set(['GET', 'HEAD', 'OPTIONS'])
/** GitHub's words for calls that come too fast, whatever is left of the budget. */
const SAID =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID and timestamp.'
/** Clients tell this limit from the other by the end of this address. */
const ABOUT = 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits'

/** How fast each caller may be from now on; null: as fast as he likes. */
export const paceSchema = z
  .strictObject({
    pointsPerMinute: z.int().min(1).max(POINTS_MAX).nullable(),
    atOnceMax: z.int().min(1).max(AT_ONCE_MAX).nullable(),
    /** GitHub refuses with either. */
    status: z.literal([403, 429]),
    /** Whether a refusal says how long to wait; GitHub's do not always. */
    saysHowLong: z.boolean(),
  })
  .partial()
export type PaceOrder = z.infer<typeof paceSchema>

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

interface Lane {
  atOnce: number
  points: number
  spent: { readonly at: Instant; readonly points: number }[]
}

/** The limit of points in a minute and of calls at once. Nobody is limited until somebody orders it. */
export function createSecondaryLimit(clock: Clock): SecondaryLimit {
  const lanes = new Map<string, Lane>()
  let pace: Pace = { pointsPerMinute: null, atOnceMax: null, status: 403, saysHowLong: true }
  return {
    order(order) {
      pace = { ...pace, ...withoutNothing(order) }
      lanes.clear()
    },
    async middleware(c, next) {
      if (pace.pointsPerMinute === null && pace.atOnceMax === null) return next()
      const lane = laneOf(lanes, callerKey(c))
      const points = reads.has(c.req.method) ? READ_POINTS : WRITE_POINTS
      forget(lane, clock.now() - WINDOW_MS)
      const isTooMany = lane.atOnce >= (pace.atOnceMax ?? Number.POSITIVE_INFINITY)
      const isTooFast = lane.points + points > (pace.pointsPerMinute ?? Number.POSITIVE_INFINITY)
      if (isTooMany || isTooFast) {
        const waitSeconds = isTooFast ? secondsUntilRoom(lane, points, pace.pointsPerMinute ?? 0, clock) : 1
        c.res = tooFast(c, pace.status, pace.saysHowLong ? waitSeconds : null)
        return
      }
      lane.spent.push({ at: clock.now(), points })
      lane.points += points
      lane.atOnce += 1
      try {
        await next()
      } finally {
        lane.atOnce -= 1
      }
    },
  }
}

/** Only what was said changes. */
function withoutNothing(order: PaceOrder): Partial<Pace> {
  return Object.fromEntries(Object.entries(order).filter(([, value]) => value !== undefined))
}

/** The refusal itself. */
export function tooFast(c: Context, status: ContentfulStatusCode, waitSeconds: number | null): Response {
  if (waitSeconds !== null) c.header('retry-after', String(waitSeconds))
  return refuse(c, status, SAID, undefined, ABOUT)
}

function laneOf(lanes: Map<string, Lane>, key: string): Lane {
  const known = lanes.get(key)
  if (known !== undefined) return known
  const fresh: Lane = { atOnce: 0, points: 0, spent: [] }
  lanes.set(key, fresh)
  return fresh
}

function forget(lane: Lane, before: Instant): void {
  while (lane.spent[0] !== undefined && lane.spent[0].at <= before)
    lane.points -= lane.spent.shift()?.points ?? 0
}

function secondsUntilRoom(lane: Lane, points: number, max: number, clock: Clock): number {
  let over = lane.points + points - max
  let roomAt = clock.now()
  for (const each of lane.spent) {
    if (over <= 0) break
    over -= each.points
    roomAt = each.at + WINDOW_MS
  }
  return Math.max(Math.ceil((roomAt - clock.now()) / 1000), 1)
}
