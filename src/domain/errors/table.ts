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
export const exitCodes = { usage: 2, config: 3, unavailable: 4, refused: 5, notFound: 6 } as const

/** Every error that Holdfast names, in one table; docs/reference/errors.md is generated from it. */
export const errorTable = {
  E_BUG: {
    status: 500,
    retryable: false,
    exitCode: 1,
    message: ({ what }) => `Holdfast contradicted itself: ${what}.`,
    hint: 'This is a defect: please report it with the log around this line.',
  },
  E_TRANSITION_REFUSED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ machine, state, event }) => `A ${machine} that is ${state} does not take "${event}".`,
    hint: 'Nothing was changed. The timeline shows how it came to this state: holdfast job <id>.',
  },
  E_EVIDENCE_REQUIRED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ attempt }) => `Attempt ${attempt} was delivered to a runner: it ends only with evidence.`,
    hint: 'Seal a death record or the forge\'s word first; nothing was changed.',
  },
  E_JOB_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ job }) => `No job ${job} is known here.`,
    hint: 'List what is known with: holdfast jobs --all',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorTable
