import { HoldfastError } from '../../src/domain/errors/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { Budget, BudgetReading, Purpose } from '../../src/ports/budget.ts'
import type { Forge, MintRefused } from '../../src/ports/forge.ts'
import type { ForgeDeliveries } from '../../src/ports/forge-deliveries.ts'

/** The forge's limit of calls in a window. */
export interface RateLimit {
  /** False: the limit is spent. */
  take(calls: number): boolean
  reading(): BudgetReading
  /** From now on nobody is limited. */
  lift(): void
}

/** `windowMs` is short against a real forge's hour, so that a history sees many. */
export function createRateLimit(limit: number, windowMs: number, now: () => Instant): RateLimit {
  let max = limit
  let used = 0
  let resetAt = now() + windowMs
  const renew = () => {
    if (now() < resetAt) return
    resetAt = now() + windowMs
    used = 0
  }
  return {
    take(calls) {
      renew()
      if (used + calls > max) return false
      used += calls
      return true
    },
    reading() {
      renew()
      return { limit: max, remaining: max - used, resetAt }
    },
    lift() {
      max = unlimited
    },
  }
}

const unlimited = 1_000_000

/** The forge's secondary limit: so many points in any minute, whatever is left of the other. */
export interface PointLimit {
  readonly perMinute: number
  /** False: it was too much in the last minute. */
  take(points: number): boolean
  /** How often it was. */
  refusals(): number
}

const minuteMs = 60_000

export function createPointLimit(perMinute: number, now: () => Instant): PointLimit {
  let taken: { readonly at: Instant; readonly points: number }[] = []
  let refusals = 0
  return {
    perMinute,
    refusals: () => refusals,
    take(points) {
      taken = taken.filter(({ at }) => at > now() - minuteMs)
      const sum = taken.reduce((total, each) => total + each.points, 0)
      if (sum + points > perMinute) {
        refusals += 1
        return false
      }
      taken.push({ at: now(), points })
      return true
    },
  }
}

/** The forge's limit of calls at once. */
export interface AtOnceLimit {
  /** False: there are as many already; else `leave` it afterwards. */
  enter(): boolean
  leave(): void
  refusals(): number
  /** The most that were there at the same time. */
  most(): number
}

export function createAtOnceLimit(max: number): AtOnceLimit {
  let inside = 0
  let most = 0
  let refusals = 0
  return {
    enter() {
      if (inside >= max) {
        refusals += 1
        return false
      }
      inside += 1
      most = Math.max(most, inside)
      return true
    },
    leave() {
      inside -= 1
    },
    refusals: () => refusals,
    most: () => most,
  }
}

/** A forge that takes its time for each call, and refuses those that are too many at once. */
export function slowForge<Port extends Forge | ForgeDeliveries>(
  port: Port,
  atOnce: AtOnceLimit,
  takesTime: () => Promise<void>,
): Port {
  return wrapped(port, async (name, work) => {
    if (!atOnce.enter()) return name === 'mint' ? spent(secondary, secondaryRetryMs) : unanswered(name)
    try {
      await takesTime()
      return await work()
    } finally {
      atOnce.leave()
    }
  })
}

/** The purpose of each call, its requests and its points: a read is one, a write five. */
const calls = {
  mint: ['dispatch', 1, 5],
  findRunner: ['recovery', 1, 1],
  removeRunner: ['recovery', 1, 5],
  readJob: ['recovery', 1, 1],
  listJobs: ['resync', 4, 4],
  unreachable: ['resync', 1, 1],
  sentSince: ['resync', 2, 2],
  sendAgain: ['resync', 1, 5],
} as const satisfies Record<string, readonly [Purpose, number, number]>
type Limited = keyof typeof calls

const never = new AbortController().signal
const secondaryRetryMs = 60_000
const secondary = '403 You have exceeded a secondary rate limit'

/** Where the limits are: at the forge, which refuses when one is spent, whatever its callers believe. */
export function limitedForge<Port extends Forge | ForgeDeliveries>(
  port: Port,
  limit: RateLimit,
  points: PointLimit | null = null,
): Port {
  return wrapped(port, async (name, work) => {
    if (points !== null && !points.take(calls[name][2])) {
      return name === 'mint' ? spent(secondary, secondaryRetryMs) : unanswered(name)
    }
    if (!limit.take(calls[name][1])) {
      const { resetAt } = limit.reading()
      return name === 'mint'
        ? spent(`429 API rate limit exceeded, until ${resetAt}`, limitRetryMs)
        : unanswered(name)
    }
    return work()
  })
}

const limitRetryMs = 30_000

/** The adapter's part in each process: asks the budget before a call, and reports the answer's rate limit to it. */
export function budgetedForge<Port extends Forge | ForgeDeliveries>(
  port: Port,
  budget: Budget,
  limit: RateLimit,
): Port {
  return wrapped(port, async (name, work) => {
    const turn = await budget.enter?.(calls[name][2], calls[name][0], never)
    if (turn?.kind === 'wait') return putOff(name, turn)
    const place = await budget.place?.(calls[name][0], never)
    if (place?.kind === 'wait') return putOff(name, place)
    try {
      const admission = budget.admit(calls[name][0])
      if (admission.kind === 'wait') return putOff(name, admission)
      const result = await work()
      if (isSecondary(result)) budget.pause(secondaryRetryMs, secondary)
      budget.note(limit.reading())
      return result
    } finally {
      place?.leave()
    }
  })
}

function putOff(
  name: Limited,
  { why, forMs }: { readonly why: string; readonly forMs: number },
): MintRefused {
  return name === 'mint' ? spent(why, forMs) : unanswered(name)
}

function isSecondary(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'reason' in result && result.reason === secondary
}

function spent(reason: string, retryAfterMs: number): MintRefused {
  return { kind: 'refused', concerns: 'account', reason, retryAfterMs, incident: null }
}

function unanswered(call: string): never {
  throw new HoldfastError('E_FORGE_UNAVAILABLE', { call, why: 'the limit is spent' })
}

function wrapped<Port extends object>(
  port: Port,
  around: (name: Limited, work: () => Promise<unknown>) => Promise<unknown>,
): Port {
  return new Proxy(port, {
    get(target, property) {
      const method = Reflect.get(target, property)
      if (typeof method !== 'function' || !(property in calls)) return method
      return (...args: unknown[]) => around(property as Limited, () => method.apply(target, args))
    },
  })
}
