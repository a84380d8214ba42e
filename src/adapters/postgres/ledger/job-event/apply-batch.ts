import { isApproved } from '../../../../domain/job-event/index.ts'
import { type ApplyResult, outcomeOf } from '../../../../ports/ledger.ts'
import type { Db } from '../../connection/index.ts'
import type { LedgerContext } from '../context.ts'
import { settleAll } from '../delivery/settle.ts'
import { applyToBoundRows, resultOf } from './apply-to-bound-rows.ts'
import { findKnown } from './find-known.ts'
import { insertLikely } from './insert-job.ts'
import type { PendingEvent } from './pending-event.ts'

/**
 * Applies events about different jobs in one transaction, and settles their deliveries. An event without a result must
 * be applied alone: its job or its pool is not known yet, or it concerns the same rows as another.
 */
export async function applyBatch(
  tx: Db,
  ledger: LedgerContext,
  batch: readonly PendingEvent[],
): Promise<Map<PendingEvent, ApplyResult>> {
  const fresh = await insertNewJobs(tx, ledger, batch)
  const late = await applyToKnownJobs(
    tx,
    ledger,
    batch.filter((pending) => !fresh.has(pending)),
  )
  const settled = [...late].flatMap(([{ settles }, result]) =>
    settles === null ? [] : [{ guid: settles, ...outcomeOf(result) }],
  )
  await settleAll(tx, settled)
  return new Map([...fresh, ...late])
}

/**
 * The server inserts them one after the other, because a job's place in the queue depends on those before it; in the
 * order of the forge's numbers, so that two processes that apply the same events wait for each other in the same order.
 */
async function insertNewJobs(
  tx: Db,
  ledger: LedgerContext,
  batch: readonly PendingEvent[],
): Promise<Map<PendingEvent, ApplyResult>> {
  const inOrder = batch.toSorted((a, b) => a.event.job.forgeJobId - b.event.job.forgeJobId)
  const ids = await Promise.all(inOrder.map((pending) => insertLikely(tx, ledger, pending)))
  return new Map(
    inOrder.flatMap((pending, index): [PendingEvent, ApplyResult][] => {
      const jobId = ids[index] ?? null
      return jobId === null ? [] : [[pending, { kind: 'new', jobId }]]
    }),
  )
}

async function applyToKnownJobs(
  tx: Db,
  ledger: LedgerContext,
  batch: readonly PendingEvent[],
): Promise<Map<PendingEvent, ApplyResult>> {
  const known = await findKnown(tx, batch)
  // An approval and a move are rare, and are applied alone.
  for (const [pending, { awaitsApproval, isMoved }] of known) {
    if (isMoved || (awaitsApproval && isApproved(pending.event))) known.delete(pending)
  }
  const changing = [...known].filter(([{ event }, { ended }]) => !ended && event.status !== 'queued')
  const applied = await applyToBoundRows(
    tx,
    ledger,
    changing.map(([pending]) => pending),
  )
  const isLeft = new Set(changing.map(([pending]) => pending).filter((pending) => !applied.has(pending)))
  return new Map(
    [...known]
      .filter(([pending]) => !isLeft.has(pending))
      .map(([pending, { jobId }]) => [pending, resultOf(jobId, applied.get(pending))]),
  )
}
