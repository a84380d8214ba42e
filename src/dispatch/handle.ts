import type { Handle } from '../domain/attempt/index.ts'
import type { Entropy } from '../ports/entropy.ts'

/** A fresh handle: a random UUID (version 4), so that the ledger can store it as one. */
export function newHandle(entropy: Entropy): Handle {
  const bytes = entropy.bytes(16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
