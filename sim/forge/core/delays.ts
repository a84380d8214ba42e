import { type ForgeDelays, githubDelays } from './work-model.ts'

/** So many renewals in a row may be late or lost before a job is given up. */
const renewalsPerLock = 4
/** Below this one late renewal gives up a runner that is well. */
const renewalsPerLockMin = 2

/**
 * A forge's delays from those that were given. How often a runner renews follows from when its job is given up, because a
 * runner that renews more rarely than that loses every job that is longer.
 */
export function forgeDelays(given: Partial<ForgeDelays> = {}): ForgeDelays {
  const lostAfterMs = given.lostAfterMs ?? githubDelays.lostAfterMs
  const renewEveryMs = Math.min(githubDelays.renewEveryMs, Math.ceil(lostAfterMs / renewalsPerLock))
  const delays = { ...githubDelays, renewEveryMs, ...given }
  if (delays.renewEveryMs * renewalsPerLockMin > delays.lostAfterMs) {
    throw new RangeError(
      `renewEveryMs: expected at most ${Math.floor(delays.lostAfterMs / renewalsPerLockMin)}, because a job is given up ` +
        `after ${delays.lostAfterMs} ms (lostAfterMs); got ${delays.renewEveryMs}`,
    )
  }
  return delays
}
