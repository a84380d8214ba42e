/** An exponential back-off: the delay of the first retry, what each failure multiplies it by, and its upper bound. */
export interface BackOff {
  readonly baseMs: number
  readonly capMs: number
  /** 2 unless given. */
  readonly factor?: number
}

/**
 * The delay after so many failures in a row, the first being 1. `fraction` in [0, 1) is the jitter: the delay lies
 * between its half and its whole, so that callers which failed together do not return together. Left out: no jitter.
 */
export function backOffMs({ baseMs, capMs, factor = 2 }: BackOff, failures: number, fraction = 1): number {
  const wholeMs = Math.min(capMs, baseMs * factor ** Math.max(0, failures - 1))
  return wholeMs * (0.5 + fraction / 2)
}

/** A delay that must not be undercut, such as a server's Retry-After, with up to as much again as jitter. */
export function spreadMs(minMs: number, fraction: number): number {
  return minMs * (1 + fraction)
}
