import { createKnownValues } from './known-values.ts'
import { compilePattern, cover, PatternProblem, type Range, stepsMax } from './linear/index.ts'
import { redacted } from './patterns.ts'
import { redactCharsMax, redactShaped } from './text.ts'
import { copyRedacted } from './value.ts'

/** Hides secrets in data that is stored, logged or shown. */
export interface Redactor {
  /** Text without known secrets and secret-like values, cut to a length that bounds the work. */
  text(text: string, charsMax?: number): string
  /** A copy that is safe to write: plain data, bounded in depth and size. */
  value(value: unknown): unknown
  /** Adds exact values to hide from now on: secrets that were created or read after the start. */
  learn(secrets: readonly string[]): void
}

export interface RedactorOptions {
  /** The user's regular expressions; see `patternProblems` for the accepted ones. */
  readonly patterns?: readonly string[]
  /** Exact values that are known to be secret, such as a runner's own configuration. */
  readonly values?: readonly string[]
}

export const patternsMax = 50

/** A redactor that adds the user's patterns and known values to those of `redactText`. */
export function createRedactor({ patterns = [], values = [] }: RedactorOptions): Redactor {
  const programs = patterns.map(compilePattern)
  const known = createKnownValues(values)
  const hide = (text: string): string =>
    withoutRanges(text, [...known.find(text), ...programs.flatMap((program) => cover(program, text).ranges)])
  const redact = (text: string, charsMax = redactCharsMax): string => redactShaped(text, charsMax, hide)
  return { text: redact, value: (value) => copyRedacted(value, redact), learn: known.add }
}

/** The problems of the user's patterns; empty where all can be used. */
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
  if (patterns.length > patternsMax) {
    problems.push({ index: patternsMax, problem: `more than ${patternsMax} patterns` })
  }
  if (steps > stepsMax) {
    const problem = `${steps} steps of all patterns together, at most ${stepsMax}: every counted character is one`
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
    if (begin > from || from === 0) result += text.slice(from, Math.max(from, begin)) + redacted
    from = end
  }
  return result + text.slice(from)
}
