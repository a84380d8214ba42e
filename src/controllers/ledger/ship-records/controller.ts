import { HoldfastError, isError } from '../../../domain/errors/index.ts'
import { again, done, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Ledger, SealedDeath } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RecordSink } from '../../../ports/record-sink.ts'

export interface ShipRecordsDeps {
  readonly ledger: Ledger
  readonly sink: RecordSink
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly metrics: Metrics
}

/** Also bounds how many objects a day brings: 2,880. */
const sweepMs = 30_000
/** Bounds what is in memory at once: a record with its tails is 64 KiB to some hundred. */
const batchSize = 50
/** Between two batches of a backlog, so that it does not take the database away from dispatch. */
const pauseMs = 100
const retryMs = 5_000
const retryMaxMs = 5 * 60_000

/** So many in a row that the sink refuses one by one are no matter of single records: it refuses all. */
const refusedInARowMax = 5

/**
 * Writes sealed death records to a sink: all of them, at least once, in the order of their numbers. The position moves
 * only after the sink has them, so that a process that dies between the two writes a batch again. Nothing waits for it.
 * Only one that the sink refuses although it takes a later one is passed over, and told of: it stays in the ledger.
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
        return again(pauseMs)
      }
      failures += 1
      return failed(error, failures, deps)
    }
    if (failures > 0) deps.log.info({ sink: sink.name, failures }, 'death records can be written again')
    failures = 0
    await ledger.movePosition(position, last.id)
    deps.metrics.count('holdfast_records_written_total', {}, records.length)
    return records.length < batchSize ? done : again(pauseMs)
  }

  return { name: 'ship-records', sweepMs, wokenBy: () => false, pass }
}

/**
 * One record must not keep all others from the sink. Gives the last that it took; null: none. What it refuses after that
 * one may be refused for another reason, and is tried again.
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

/** Said once, until it goes well again; the metrics go on. */
function failed(error: HoldfastError, failures: number, deps: ShipRecordsDeps): Outcome {
  const { metrics, entropy, log, sink } = deps
  metrics.count('holdfast_records_failures_total', {
    outcome: error.entry.retryable ? 'failed' : 'refused',
  })
  const fullMs = Math.min(retryMaxMs, retryMs * 2 ** Math.min(failures - 1, 10))
  const inMs = Math.round(fullMs * (0.5 + entropy.fraction() / 2))
  const fields = { sink: sink.name, retryInMs: inMs, err: error }
  if (failures === 1)
    log.warn(fields, 'death records could not be written to their sink; they stay in the ledger')
  else log.debug(fields, 'death records still cannot be written to their sink')
  return again(inMs)
}
