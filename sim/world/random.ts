import type { Entropy } from '../../src/ports/entropy.ts'

/** A seeded source of chance: the same seed gives the same history, on every machine. */
export interface Random extends Entropy {
  /** A whole number in [0, below). */
  below(bound: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** A number in [from, to). */
  between(from: number, to: number): number
  pick<T>(list: readonly T[]): T
  /** A stream of its own, so that one part's draws do not shift another's. */
  fork(name: string): Random
}

/** mulberry32: 32 bits of state are enough for a history, and it is the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const below = (bound: number) => Math.floor(fraction() * bound)
  return {
    fraction,
    below,
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
    chance: (probability) => fraction() < probability,
    between: (from, to) => from + fraction() * (to - from),
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    fork: (name) => createRandom(hash(name, below(0x1_0000_0000))),
  }
}

/** FNV-1a over the name, begun with a draw of the parent. */
function hash(text: string, start: number): number {
  let value = (0x811c9dc5 ^ start) >>> 0
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 0x01000193) >>> 0
  return value
}
