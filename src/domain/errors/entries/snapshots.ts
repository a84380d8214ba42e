import { type ErrorEntry, exitCodes } from '../entry.ts'

/** Snapshots and their files. */
export const snapshots = {
  E_SNAPSHOT_UNREADABLE: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ file, reason }) => `The snapshot ${file} cannot be read: ${reason}.`,
    hint: 'Name a file that this user may read; one is written by: holdfast snapshot save <file>',
  },
  E_SNAPSHOT_DAMAGED: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ file, problem }) => `The snapshot ${file} is damaged: ${problem}.`,
    hint: 'Copy it again from where it was saved, as binary; mail programs and terminals change bytes.',
  },
  E_SNAPSHOT_NEWER: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ file, version, program, known }) =>
      `The snapshot ${file} has format ${version}, written by ${program}; this program reads formats up to ${known}.`,
    hint: 'Read it with the Holdfast that wrote it, or a newer one: holdfast --version',
  },
  E_SNAPSHOT_INVALID: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.usage,
    message: ({ file, path, expected, got }) =>
      `The snapshot ${file} is not as expected at ${path}: expected ${expected}, got ${got}.`,
    hint: 'It was edited, or is no snapshot. Save one with: holdfast snapshot save <file>',
  },
  E_SNAPSHOT_TOO_LARGE: {
    status: 413,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ file, what, max }) => `The snapshot ${file} is too large: ${what}, at most ${max}.`,
    hint: 'Save a narrower one: --namespace, --label and --node take only the part that is named.',
  },
  E_SNAPSHOT_EXISTS: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ file }) => `${file} is there already. Nothing was written.`,
    hint: 'Name another file, or replace this one with --force.',
  },
  E_SNAPSHOT_UNWRITABLE: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.unavailable,
    message: ({ file, reason }) => `The snapshot could not be written to ${file}: ${reason}.`,
    hint: 'Name a file in a folder that this user may write to, with room for it. Nothing is left behind.',
  },
} as const satisfies Record<string, ErrorEntry>
