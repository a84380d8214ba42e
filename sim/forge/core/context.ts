import type { Entropy } from '../../../src/ports/entropy.ts'
import type { ForgeDelays } from './model.ts'
import type { Links } from './payload/index.ts'
import type { Store } from './store.ts'

/** The state that every step of the forge works on. */
export interface Context {
  readonly store: Store
  readonly entropy: Entropy
  readonly delays: ForgeDelays
  readonly links: Links
  /** The GitHub App whose hook this is; null: the hook is the repositories' own. */
  readonly appId: number | null
  /** `oldest`: first in, first out. `any`: by chance, as a forge with many workers may do. */
  readonly choose: 'oldest' | 'any'
  /** A job whose runner falls silent is queued again instead of failing. */
  readonly takesBack: boolean
}

const guidBytes = 16
const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Random bytes as hexadecimal digits. */
export function randomHex(entropy: Entropy, byteCount: number): string {
  let hex = ''
  for (const byte of entropy.bytes(byteCount)) hex += hexPairs[byte]
  return hex
}

/** A random GUID in its usual form. */
export function randomGuid(entropy: Entropy): string {
  const hex = randomHex(entropy, guidBytes)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
