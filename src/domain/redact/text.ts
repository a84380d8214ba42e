import { redactBlocks } from './blocks.ts'
import { redactCoded } from './coded.ts'
import { withoutEscapes } from './escapes.ts'
import { secretPatterns } from './patterns.ts'
import { redactPem } from './pem.ts'

/** The longest text of one log field; a death record's log tail states its own bound. */
export const REDACT_CHARS_MAX = 16 * 1024

/** A secret that begins before the cut is recognised by what follows it. */
const LOOK_AHEAD_CHARS = 4 * 1024

/** Text without what looks like a secret, cut to a length that bounds the work. */
export function redactText(text: string, charsMax = REDACT_CHARS_MAX): string {
  return redactShaped(text, charsMax, (whole) => whole)
}

/** As `redactText`, after `first` has hidden what it knows: a shape may cover only a part of it. */
export function redactShaped(text: string, charsMax: number, first: (text: string) => string): string {
  const whole = first(
    withoutEscapes(text.length > charsMax ? text.slice(0, charsMax + LOOK_AHEAD_CHARS) : text),
  )
  let result = redactCoded(redactBlocks(redactPem(whole)))
  for (const [pattern, replacement] of secretPatterns) result = result.replace(pattern, replacement)
  if (text.length <= charsMax) return result
  return `${result.slice(0, charsMax)}… (cut, ${text.length} characters)`
}
