import type { Handle } from './attempt.ts'

/** Random bytes that a handle is made of. */
export const handleBytes = 16

/** A handle from fresh random bytes: a version 4 UUID, the form in which the ledger stores it. */
export function handleFrom(random: Uint8Array): Handle {
  const bytes = random.slice(0, handleBytes)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
