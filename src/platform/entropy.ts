import { randomBytes } from 'node:crypto'
import type { Entropy } from '../ports/entropy.ts'

/** The machine's randomness; `bytes` is fit for secrets. */
export function createEntropy(): Entropy {
  return { bytes: (count) => new Uint8Array(randomBytes(count)), fraction: () => Math.random() }
}
