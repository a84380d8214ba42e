import { type ErrorEntry, exitCodes, joined, lastLines } from '../entry.ts'

/** The ledger's database and its schema. */
export const ledger = {
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
  E_MIGRATION_RIGHTS: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ file }) =>
      `The ledger's schema needs ${file}, and the role of DATABASE_URL may not change it.`,
    hint: 'Name the role that owns the tables in HOLDFAST_DATABASE_MIGRATE_URL, for this start or for `holdfast migrate`.',
  },
  E_LEDGER_OLDER: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ file }) => `The ledger's schema lacks ${file}, which this command needs. Nothing was done.`,
    hint: 'Start this version of Holdfast on the database, or migrate it: holdfast migrate',
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
    // 507 would say it better, but forges and proxies know what to do with this one.
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ where, lines }) => `The disk that holds the ledger is full (${where}).${lastLines(lines)}`,
    hint: 'Free space there or move the data folder (HOLDFAST_DATA_DIR), then start it again if it has ended: while it runs it goes on by itself. Nothing is lost.',
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
} as const satisfies Record<string, ErrorEntry>
