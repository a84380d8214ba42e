import type { History } from './history.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

/** How messages between runners, server and forge may fail; all zero in the quiet end of a history. */
export interface NetworkFaults {
  /** A request that never arrives, or an answer that never comes back. */
  lost: number
  /** A message that arrives twice. */
  repeated: number
  /** A message that takes up to a minute. */
  late: number
}

export interface NetworkDeps {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly history: History
  readonly faults: NetworkFaults
}

/** A request that got no answer. */
export const noAnswer = Symbol('no answer')

/** Sends a request and waits for its answer, at most `timeoutMs`. It may have arrived all the same, even twice. */
export function request<T>(
  what: string,
  handle: () => Promise<T>,
  timeoutMs: number,
  deps: NetworkDeps,
): Promise<T | typeof noAnswer> {
  const { scheduler, random, history, faults } = deps
  return new Promise((resolve) => {
    let settled = false
    const settle = (value: T | typeof noAnswer) => {
      if (settled) return
      settled = true
      resolve(value)
    }
    scheduler.after(timeoutMs, () => settle(noAnswer))
    if (random.chance(faults.lost)) {
      history.note('network', `lost the request ${what}`)
      return
    }
    const arrive = () => {
      handle().then(
        (value) => {
          if (random.chance(faults.lost)) history.note('network', `lost the answer to ${what}`)
          else scheduler.after(delayMs(deps), () => settle(value))
        },
        () => settle(noAnswer),
      )
    }
    scheduler.after(delayMs(deps), arrive)
    if (random.chance(faults.repeated)) scheduler.after(delayMs(deps), arrive)
  })
}

function delayMs({ random, faults }: NetworkDeps): number {
  return random.chance(faults.late) ? random.between(1_000, 60_000) : random.between(0, 20)
}
