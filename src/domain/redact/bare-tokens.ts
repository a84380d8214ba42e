import { REDACTED } from './patterns.ts'

/** Gitea's tokens look like commits. */
const FORTY_DIGITS = /(?<![0-9a-zA-Z])[0-9a-f]{40}(?![0-9a-zA-Z])/g
/** In a line with one of these such digits name a commit, a file or a sum. */
const NAMES_A_COMMIT =
  /commit|sha-?1|\bsha\b|head|checkout|merge|tree|parent|refs?\b|rev|index|blob|object|\bgit\b|digest|hash|fetch|branch|origin|\.\.|@/i
/** Before the digits and behind them; lines without an end cost no more. */
const CONTEXT_CHARS = 200

/** Log text without tokens of forty hexadecimal digits: what nothing in its line calls a commit is taken for one. */
export function redactBareTokens(text: string): string {
  return text.replace(FORTY_DIGITS, (digits, at: number) => {
    const before = text
      .slice(Math.max(0, at - CONTEXT_CHARS), at)
      .split('\n')
      .at(-1)
    const after = text.slice(at, at + digits.length + CONTEXT_CHARS).split('\n', 1)[0]
    return NAMES_A_COMMIT.test(`${before}${after}`) ? digits : REDACTED
  })
}
