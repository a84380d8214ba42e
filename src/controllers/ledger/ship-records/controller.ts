import { type BackOff, backOffMs } from '../../../domain/back-off/index.ts'
import { HoldfastError, isError } from '../../../domain/errors/index.ts'
import { done, type Loop, type Outcome, requeueAfter } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { CursorLedger, DeathLedger, SealedDeath } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RecordSink } from '../../../ports/record-sink.ts'

export interface ShipRecordsDeps {
  readonly ledger: DeathLedger & CursorLedger
  readonly sink: RecordSink
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly metrics: Metrics
}

/** Also bounds the objects of a day: 2,880. */
const resyncMs = 30_000
/** Bounds memory: a record with its tails is 64 KiB to some hundred. */
const batchSize = 50
/** The pause between two batches of a backlog, so that it does not take the database away from dispatch. */
const pauseMs = 100
const retryBackOff: BackOff = { baseMs: 5_000, capMs: 5 * 60_000 }

/** After this many refusals in a row the sink is taken to refuse everything, and not single records. */
const refusedInARowMax = 5

/**
 * Writes sealed death records to a sink: all of them, at least once, in the order of their numbers. The position moves
 * only after the sink has them, so that a process that dies between the two writes a batch again. Nothing waits for it.
 * Only a record that the sink refuses while it accepts a later one is skipped and logged: it stays in the ledger.
 */
export function shipRecordsLoop(deps: ShipRecordsDeps): Loop {
  let failures = 0

  async function pass(signal: AbortSignal): Promise<Outcome> {
    const { ledger, sink } = deps
    const position = `records:${sink.name}`
    const records = await ledger.deathsAfter(await ledger.position(position), batchSize)
    noteLag(records[0], deps)
    const last = records.at(-1)
    if (last === undefined) return done
    try {
      await sink.write(records, signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof HoldfastError)) throw error
      const reached = isError(error, 'E_SINK_REFUSED') ? await writeSingly(records, deps, signal) : null
      if (reached !== null) {
        await ledger.movePosition(position, reached)
        return requeueAfter(pauseMs)
      }
      failures += 1
      return failed(error, failures, deps)
    }
    if (failures > 0) deps.log.info({ sink: sink.name, failures }, 'death records can be written again')
    failures = 0
    await ledger.movePosition(position, last.id)
    deps.metrics.count('holdfast_records_written_total', {}, records.length)
    return records.length < batchSize ? done : requeueAfter(pauseMs)
  }

  return { name: 'ship-records', resyncMs, wokenBy: () => false, pass }
}

/**
 * Writes records one by one, because one record must not keep the others from the sink. Returns the last that the sink
 * accepted; null: none. Records refused after that one may be refused for another reason, and are retried.
 */
async function writeSingly(
  records: readonly SealedDeath[],
  { sink, log, metrics }: ShipRecordsDeps,
  signal: AbortSignal,
): Promise<number | null> {
  let reached: number | null = null
  let refused: { readonly id: number; readonly error: unknown }[] = []
  for (const record of records) {
    try {
      await sink.write([record], signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof HoldfastError)) throw error
      refused.push({ id: record.id, error })
      if (!isError(error, 'E_SINK_REFUSED') || refused.length >= refusedInARowMax) break
      continue
    }
    for (const { id, error } of refused) {
      metrics.count('holdfast_records_failures_total', { outcome: 'refused' })
      log.error(
        { sink: sink.name, evidence: id, err: error },
        'the sink refuses a death record; it is passed over',
      )
    }
    refused = []
    reached = record.id
    metrics.count('holdfast_records_written_total', {})
  }
  return reached
}

function noteLag(oldest: SealedDeath | undefined, { clock, metrics }: ShipRecordsDeps): void {
  const lagMs = oldest === undefined ? 0 : Math.max(0, clock.now() - oldest.sealedAt)
  metrics.set('holdfast_records_lag_seconds', {}, lagMs / 1_000)
}

/** Logged once until writes succeed again; the metrics continue. */
function failed(error: HoldfastError, failures: number, deps: ShipRecordsDeps): Outcome {
  const { metrics, entropy, log, sink } = deps
  metrics.count('holdfast_records_failures_total', {
    outcome: error.entry.retryable ? 'failed' : 'refused',
  })
  const inMs = Math.round(backOffMs(retryBackOff, failures, entropy.fraction()))
  const fields = { sink: sink.name, retryInMs: inMs, err: error }
  if (failures === 1)
    log.warn(fields, 'death records could not be written to their sink; they stay in the ledger')
  else log.debug(fields, 'death records still cannot be written to their sink')
  return requeueAfter(inMs)
}
