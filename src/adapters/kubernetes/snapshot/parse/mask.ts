import { redactText } from '../../../../domain/redact/index.ts'

/** Masks text and cuts it to a length. */
export type Mask = (text: string, charsMax: number) => string

/** Longer texts seldom come twice. Shorter ones fit everywhere, and are not cut. */
const keptCharsMax = 256
const keptMax = 20_000

/**
 * Masking with a memory: masking costs 10 to 20 µs, and a fleet's labels, images and arguments are the same few texts
 * ten thousand times.
 */
export function createMask(): Mask {
  const kept = new Map<string, string>()
  return (text, charsMax) => {
    if (text.length > keptCharsMax) return redactText(text, charsMax)
    const known = kept.get(text)
    if (known !== undefined) return known
    const masked = redactText(text)
    if (kept.size >= keptMax) kept.clear()
    kept.set(text, masked)
    return masked
  }
}
