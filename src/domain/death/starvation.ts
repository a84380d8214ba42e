import type { Instant } from '../time.ts'
import { starvedPressure } from './host.ts'
import type { HostSamples } from './host-samples.ts'
import type { Vitals } from './vitals.ts'

/** The share of throttled time from which an idle stretch counts as starved, not paused. */
const heldBackShare = 0.5
/** Three missing lines of vitals in a row. */
const silentMsMin = 10_000
/** Vitals are stamped in whole seconds by the clock of their node. */
const stampMs = 2_000

/** A stretch of time. */
export interface Stretch {
  readonly from: Instant
  readonly to: Instant
}

/** How far a runner was kept from its processors, by the agent's samples. */
export interface Starvation {
  /** How long its CPU limit throttled it, at most the whole stretch; null where that was not counted. */
  readonly throttledMs: number | null
  /** The highest CPU pressure, in percent; null where it was not read. */
  readonly pressure: number | null
}

export function starvationIn({ from, to }: Stretch, ring: HostSamples | null): Starvation {
  const within = ring?.samples.filter(({ at }) => at >= from && at <= to) ?? []
  const throttled = within.flatMap(({ throttledMs }) => throttledMs ?? [])
  const pressures = within.flatMap(({ cpuPressure }) => cpuPressure ?? [])
  const [first, last] = [throttled[0], throttled.at(-1)]
  return {
    // The kernel sums over processors: throttled on two of them for 10 s, it counts 20.
    throttledMs:
      first === undefined || last === undefined || throttled.length < 2
        ? null
        : Math.min(Math.max(0, last - first), to - from),
    pressure: pressures.length === 0 ? null : Math.max(...pressures),
  }
}

/** The time between a runner's start and end. */
export interface LifeTime {
  /** Null where the start is not known. */
  readonly startedAt: Instant | null
  readonly endedAt: Instant
}

/** Whether its CPU limit throttled it for most of the stretch. */
export function isHeldBack({ from, to }: Stretch, { throttledMs }: Starvation): boolean {
  return throttledMs !== null && throttledMs >= (to - from) * heldBackShare
}

export function isPressed({ pressure }: Starvation): boolean {
  return pressure !== null && pressure >= starvedPressure
}

/** How long a runner printed no vitals around `at`; null where it did, or where it never printed any. */
export function silentMsAround(at: Instant, vitals: readonly Vitals[], lived: LifeTime): number | null {
  if (vitals.length === 0) return null
  const before = vitals.findLast((each) => each.at <= at + stampMs)?.at ?? lived.startedAt
  const after = vitals.find((each) => each.at > at + stampMs)?.at ?? lived.endedAt
  if (before === null) return null
  const silentMs = after - before
  return silentMs < silentMsMin ? null : silentMs
}
