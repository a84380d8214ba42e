import type { SealedDeath } from './ledger.ts'

/**
 * The place where sealed death records are written as well, to be kept or searched outside of the ledger.
 *
 * Contract, held by one suite against every implementation:
 * - `write` writes all records in the order given, one JSON line each, or throws `E_SINK_FAILED` or `E_SINK_REFUSED`.
 * - They are durable when it resolves. Records that were written before an error may be written again: readers
 *   identify records by their `id`.
 * - It ends in bounded time, whatever the other side does, and soon after the signal is aborted.
 * - Neither errors nor lines hold the credentials by which it writes.
 */
export interface RecordSink {
  /** Which sink it is: it goes on after the last record that was written to a sink of this name. */
  readonly name: string
  write(records: readonly SealedDeath[], signal: AbortSignal): Promise<void>
}

/** One record as a line: who died first, then all that was sealed. */
export function recordLine({ id, sealedAt, runnerId, runner, pool, host, record }: SealedDeath): string {
  const at = new Date(sealedAt).toISOString()
  return `${JSON.stringify({ id, sealedAt: at, runner, runnerId, pool, host, ...record })}\n`
}

/** The day of a record, as files and objects are named by it. */
export function recordDay({ sealedAt }: SealedDeath): string {
  return new Date(sealedAt).toISOString().slice(0, 10)
}
