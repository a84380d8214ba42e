/** Values that fill a message; shown to people, so never a secret. */
export type ErrorParams = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface ErrorEntry {
  /** HTTP status when this error ends a request. */
  readonly status: number
  /** Whether the same call may succeed later without anybody acting. */
  readonly retryable: boolean
  /** Exit code of a command that ends with this error. */
  readonly exitCode: number
  readonly message: (params: ErrorParams) => string
  /** What the reader should do next. */
  readonly hint: string
}

/** Exit codes of the command line: 0 is success, 1 is a bug. */
export const exitCodes = {
  usage: 2,
  config: 3,
  unavailable: 4,
  refused: 5,
  notFound: 6,
  /** What was waited for came to a bad end. */
  badEnd: 7,
  /** What was waited for did not end in time. */
  unfinished: 8,
  /** What was asked about is known, and not how it ended. */
  noVerdict: 9,
} as const

/** A list, one line each. */
export function itemLines(items: ErrorParams[string] | undefined): string {
  return Array.isArray(items) ? items.map((item) => `\n  - ${item}`).join('') : ` ${items}`
}

/** A list in one line. */
export function joined(value: ErrorParams[string] | undefined): string {
  return Array.isArray(value) ? value.join('; ') : String(value ?? '')
}

/** What a program said last. */
export function lastLines(lines: ErrorParams[string] | undefined): string {
  return Array.isArray(lines) && lines.length > 0 ? `\nIts last words:\n  ${lines.join('\n  ')}` : ''
}
