import type { Instant } from '../time.ts'
import { STARVED_PRESSURE } from './host.ts'
import type { HostRing } from './host-ring.ts'
import type { Vitals } from './vitals.ts'

/** Held back for so much of a time in which it used next to nothing, a runner was starved and not paused. */
const HELD_BACK_SHARE = 0.5
/** Three lines of vitals in a row that did not come. */
const SILENT_MS_MIN = 10_000
/** Vitals are stamped in whole seconds by the clock of their node. */
const STAMP_MS = 2_000

/** From when to when something is asked about. */
export interface Stretch {
  readonly from: Instant
  readonly to: Instant
}

/** What kept a runner from its processors, as the agent saw it from outside. */
export interface Starvation {
  /** How long its CPU limit held it back, at most as long as the stretch; null where that was not counted. */
  readonly throttledMs: number | null
  /** The highest pressure on its processors, in percent; null where it was not read. */
  readonly pressure: number | null
}

export function starvationIn({ from, to }: Stretch, ring: HostRing | null): Starvation {
  const within = ring?.samples.filter(({ at }) => at >= from && at <= to) ?? []
  const throttled = within.flatMap(({ throttledMs }) => throttledMs ?? [])
  const pressures = within.flatMap(({ cpuPressure }) => cpuPressure ?? [])
  const [first, last] = [throttled[0], throttled.at(-1)]
  return {
    // The kernel sums over processors: held back on two of them for 10 s, it counts 20.
    throttledMs:
      first === undefined || last === undefined || throttled.length < 2
        ? null
        : Math.min(Math.max(0, last - first), to - from),
    pressure: pressures.length === 0 ? null : Math.max(...pressures),
  }
}

/** Null: when it started is not known. */
export interface LifeTime {
  readonly startedAt: Instant | null
  readonly endedAt: Instant
}

/** Whether its CPU limit held it back for most of that. */
export function isHeldBack({ from, to }: Stretch, { throttledMs }: Starvation): boolean {
  return throttledMs !== null && throttledMs >= (to - from) * HELD_BACK_SHARE
}

export function isPressed({ pressure }: Starvation): boolean {
  return pressure !== null && pressure >= STARVED_PRESSURE
}

/** How long a runner's own vitals were silent around some time within its life; null where they came, or none ever did. */
export function silentMsAround(at: Instant, vitals: readonly Vitals[], lived: LifeTime): number | null {
  if (vitals.length === 0) return null
  const before = vitals.findLast((each) => each.at <= at + STAMP_MS)?.at ?? lived.startedAt
  const after = vitals.find((each) => each.at > at + STAMP_MS)?.at ?? lived.endedAt
  if (before === null) return null
  const silentMs = after - before
  return silentMs < SILENT_MS_MIN ? null : silentMs
}
