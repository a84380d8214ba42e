import { redactBlocks } from './blocks.ts'
import { redactCoded } from './coded.ts'
import { withoutEscapes } from './escapes.ts'
import { secretPatterns } from './patterns.ts'
import { redactPem } from './pem.ts'

/** The longest text of one log field; a death record's log tail states its own bound. */
export const redactCharsMax = 16 * 1024

/** A secret that begins before the cut is recognised by what follows it. */
const lookAheadChars = 4 * 1024

/** Redacts secret-like values in text, cut to a length that bounds the work. */
export function redactText(text: string, charsMax = redactCharsMax): string {
  return redactShaped(text, charsMax, (whole) => whole)
}

/** Like `redactText`, after `first` has hidden known values: a pattern may cover only a part of one. */
export function redactShaped(text: string, charsMax: number, first: (text: string) => string): string {
  const whole = first(
    withoutEscapes(text.length > charsMax ? text.slice(0, charsMax + lookAheadChars) : text),
  )
  let result = redactCoded(redactBlocks(redactPem(whole)))
  for (const [pattern, replacement] of secretPatterns) result = result.replace(pattern, replacement)
  if (text.length <= charsMax) return result
  return `${result.slice(0, charsMax)}… (cut, ${text.length} characters)`
}
