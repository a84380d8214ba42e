import type { Entropy } from '../../../src/ports/entropy.ts'

/** Chance that repeats: the same seed gives the same numbers (mulberry32). */
export function seededEntropy(seed: number): Entropy {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 0xff),
    fraction: () => next() / 2 ** 32,
  }
}
