import { type ErrorEntry, exitCodes } from '../entry.ts'

/** Sinks to which death records are written in addition to the ledger. */
export const sinks = {
  E_SINK_FAILED: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ sink, reason }) => `Death records could not be written to ${sink}: ${reason}.`,
    hint: 'They stay in the ledger and are written later, in order. Nothing is lost as long as retention.historyDays has not passed.',
  },
  E_SINK_REFUSED: {
    status: 502,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ sink, reason }) => `${sink} refuses death records: ${reason}.`,
    hint: 'Check the settings records.* (bucket, region, credentials, rights to put objects). Holdfast goes on trying; the records stay in the ledger meanwhile.',
  },
} as const satisfies Record<string, ErrorEntry>
