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
  /** The next step for the reader. */
  readonly hint: string
}

/** Exit codes of the command line: 0 is success, 1 is a bug. */
export const exitCodes = {
  usage: 2,
  config: 3,
  unavailable: 4,
  refused: 5,
  notFound: 6,
  /** The awaited job or runner ended badly. */
  badEnd: 7,
  /** The awaited job or runner did not end in time. */
  unfinished: 8,
  /** The subject is known, but not how it ended. */
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

/** The last lines of a program's output. */
export function lastLines(lines: ErrorParams[string] | undefined): string {
  return Array.isArray(lines) && lines.length > 0 ? `\nIts last words:\n  ${lines.join('\n  ')}` : ''
}
