import { redacted, tokenPatterns } from './patterns.ts'

/** Base64 of a shorter text cannot hold a whole token. */
const codedPattern = /[A-Za-z0-9+/_-]{24,}={0,2}/g

/** Replaces base64 (also its URL form) of text in which a token stands, such as the credentials of a git remote. */
export function redactCoded(text: string): string {
  return text.replace(codedPattern, (coded) => (holdsToken(coded) ? redacted : coded))
}

function holdsToken(coded: string): boolean {
  const decoded = decode(coded)
  return decoded !== null && tokenPatterns.some(([pattern]) => decoded.search(pattern) !== -1)
}

/** Characters of one byte each; null where it is no base64. */
function decode(coded: string): string | null {
  const plain = coded.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')
  // A run of such characters that was cut off decodes up to its last whole group.
  const whole = plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0))
  try {
    return atob(whole)
  } catch {
    return null
  }
}
