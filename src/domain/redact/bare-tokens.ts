import { redacted } from './patterns.ts'

/** Tokens of some forges look like commits. */
const fortyDigits = /(?<![0-9a-zA-Z])[0-9a-f]{40}(?![0-9a-zA-Z])/g
/** Words in whose line such digits name a commit, a file or a checksum. */
const namesACommit =
  /commit|sha-?1|\bsha\b|head|checkout|merge|tree|parent|refs?\b|rev|index|blob|object|\bgit\b|digest|hash|fetch|branch|origin|\.\.|@/i
/** The context on both sides of the digits, bounded for lines without an end. */
const contextChars = 200

/** Redacts tokens of forty hexadecimal digits, unless a word in the line shows that they name a commit. */
export function redactBareTokens(text: string): string {
  return text.replace(fortyDigits, (digits, at: number) => {
    const before = text
      .slice(Math.max(0, at - contextChars), at)
      .split('\n')
      .at(-1)
    const after = text.slice(at, at + digits.length + contextChars).split('\n', 1)[0]
    return namesACommit.test(`${before}${after}`) ? digits : redacted
  })
}
