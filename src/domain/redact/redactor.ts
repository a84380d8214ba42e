import { createKnownValues } from './known-values.ts'
import { compilePattern, cover, PatternProblem, type Range, STEPS_MAX } from './linear/index.ts'
import { REDACTED } from './patterns.ts'
import { REDACT_CHARS_MAX, redactShaped } from './text.ts'
import { copyRedacted } from './value.ts'

/** Hides secrets in what is stored, logged or shown. */
export interface Redactor {
  /** Text without what looks like a secret or is known to be one, cut to a length that bounds the work. */
  text(text: string, charsMax?: number): string
  /** A copy that is safe to write: plain data, bounded in depth and size. */
  value(value: unknown): unknown
  /** From now on these exact values are hidden too: secrets that were made or read after the start. */
  learn(secrets: readonly string[]): void
}

export interface RedactorOptions {
  /** Regular expressions of the user's; see `patternProblems` for what they may be. */
  readonly patterns?: readonly string[]
  /** Exact values that are known to be secret, such as a runner's own configuration. */
  readonly values?: readonly string[]
}

export const PATTERNS_MAX = 50

/** Hides what `redactText` hides, and what the user's patterns and the known values say. */
export function createRedactor({ patterns = [], values = [] }: RedactorOptions): Redactor {
  const programs = patterns.map(compilePattern)
  const known = createKnownValues(values)
  const hide = (text: string): string =>
    withoutRanges(text, [...known.find(text), ...programs.flatMap((program) => cover(program, text).ranges)])
  const redact = (text: string, charsMax = REDACT_CHARS_MAX): string => redactShaped(text, charsMax, hide)
  return { text: redact, value: (value) => copyRedacted(value, redact), learn: known.add }
}

/** What is wrong with the user's patterns, in words; none where they can be used. */
export function patternProblems(patterns: readonly string[]): { index: number; problem: string }[] {
  const problems: { index: number; problem: string }[] = []
  let steps = 0
  for (const [index, source] of patterns.entries()) {
    try {
      steps += compilePattern(source).steps.length
    } catch (error) {
      if (!(error instanceof PatternProblem)) throw error
      problems.push({ index, problem: `${error.message} (at character ${error.at + 1})` })
    }
  }
  if (patterns.length > PATTERNS_MAX) {
    problems.push({ index: PATTERNS_MAX, problem: `more than ${PATTERNS_MAX} patterns` })
  }
  if (steps > STEPS_MAX) {
    const problem = `${steps} steps of all patterns together, at most ${STEPS_MAX}: every counted character is one`
    problems.push({ index: patterns.length - 1, problem })
  }
  return problems
}

function withoutRanges(text: string, ranges: Range[]): string {
  if (ranges.length === 0) return text
  let result = ''
  let from = 0
  for (const [begin, end] of ranges.sort((a, b) => a[0] - b[0])) {
    if (end <= from) continue
    if (begin > from || from === 0) result += text.slice(from, Math.max(from, begin)) + REDACTED
    from = end
  }
  return result + text.slice(from)
}
