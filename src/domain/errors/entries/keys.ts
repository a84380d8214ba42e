import { type ErrorEntry, exitCodes, joined } from '../entry.ts'

/** The keys that seal secrets. */
export const keys = {
  E_KEY_UNKNOWN: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ keyId, known }) =>
      `A secret was sealed with key "${keyId}", which is not in the key ring (it has: ${joined(known)}).`,
    hint: 'Add the old key to the key ring (keys.json, or keys.ring in the configuration) and leave the current one as it is. The sealed secret is untouched.',
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
  E_KEYS_CONFIGURED: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: () => 'The keys come from the configuration (keys.ring), not from the data folder.',
    hint: 'Add a key to keys.ring, make it keys.current and restart; keep the old key until nothing is sealed with it.',
  },
} as const satisfies Record<string, ErrorEntry>
