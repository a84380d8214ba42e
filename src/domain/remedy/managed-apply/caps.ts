/** The bounds of a set as its spec has them; null: the field is absent. */
export interface Caps {
  readonly minRunners: number | null
  readonly maxRunners: number | null
}

/**
 * The caps of a frozen set: no runner, not even a warm one. ARC's target is min(minRunners + assigned jobs, maxRunners): only
 * zero starts no runner at all, also after a job ends, and lets ARC take the idle ones down, which would hold a rollover up.
 * ARC takes no runner with a job down: it skips those with one in their status, and GitHub refuses the others.
 * `minRunners` goes with it: a listener refuses to start where it is above `maxRunners`.
 */
export function frozenCaps({ minRunners }: Caps): Caps {
  return { minRunners: minRunners === null ? null : 0, maxRunners: 0 }
}

/**
 * The caps that a frozen set gets back: each field that still has its frozen value gets the recorded one; any other value was
 * written by the command or by a person, and stands.
 */
export function restoredCaps(recorded: Caps, current: Caps, isZeroWanted: boolean): Caps {
  if (isZeroWanted) return current
  const frozen = frozenCaps(recorded)
  const restored = {
    minRunners: current.minRunners === frozen.minRunners ? recorded.minRunners : current.minRunners,
    maxRunners: current.maxRunners === frozen.maxRunners ? recorded.maxRunners : current.maxRunners,
  }
  // The source lowered both: no source has a minimum above its maximum, and so its minimum is the zero that stands there.
  return isValid(restored) ? restored : { ...restored, minRunners: current.minRunners }
}

/** A listener with a minimum above the maximum does not start. */
function isValid({ minRunners, maxRunners }: Caps): boolean {
  return maxRunners === null || (minRunners ?? 0) <= maxRunners
}

export function sameCaps(a: Caps, b: Caps): boolean {
  return a.minRunners === b.minRunners && a.maxRunners === b.maxRunners
}

/** `minRunners 2, maxRunners 10`. */
export function capsText({ minRunners, maxRunners }: Caps): string {
  return `minRunners ${minRunners ?? 'unset'}, maxRunners ${maxRunners ?? 'unset'}`
}
