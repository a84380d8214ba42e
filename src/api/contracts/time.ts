import { z } from 'zod'

/** A time as the API writes it: ISO 8601 in UTC, to the millisecond. */
export const isoTime = z.iso.datetime()

/** Facts and records as they stand in the ledger, without secrets. */
export const facts = z.record(z.string(), z.unknown())
export type ApiFacts = z.output<typeof facts>
