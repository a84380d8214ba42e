import { isApproved, isForeign } from '../../../../domain/job-event/index.ts'
import { hasLabels, type Pool, routeToPool } from '../../../../domain/pool/index.ts'
import { type ApplyResult, outcomeOf } from '../../../../ports/ledger.ts'
import { type Db, isLostRace, sql } from '../../connection/index.ts'
import type { LedgerContext } from '../context.ts'
import { settleAll } from '../delivery/settle.ts'
import { listPools } from '../pool/list.ts'
import { applyToBoundRows, type Effect, resultOf } from './apply-to-bound-rows.ts'
import { approve } from './approve.ts'
import { findKnown } from './find-known.ts'
import { insertJob, insertLikely } from './insert-job.ts'
import { moveJob } from './move-job.ts'
import type { PendingEvent } from './pending-event.ts'

/** Applies one event. Most that come alone announce a new job, which takes a single round trip. */
export async function applyOne(ledger: LedgerContext, pending: PendingEvent): Promise<ApplyResult> {
  const jobId = await insertLikely(ledger.database, ledger, pending).catch((error: unknown) => {
    if (isLostRace(error)) return null // it was being archived
    throw error
  })
  if (jobId !== null) return { kind: 'new', jobId }
  const { pools, result } = await ledger.database.transaction((tx) => applyInTransaction(tx, ledger, pending))
  if (pools !== null) ledger.pools.all = pools
  return result
}

interface Applied {
  readonly result: ApplyResult
  /** The pools, where they were read. */
  readonly pools: readonly Pool[] | null
}

async function applyInTransaction(tx: Db, ledger: LedgerContext, pending: PendingEvent): Promise<Applied> {
  const applied = await applyToJob(tx, ledger, pending)
  if (pending.settles !== null) await settleAll(tx, [{ guid: pending.settles, ...outcomeOf(applied.result) }])
  return applied
}

async function applyToJob(tx: Db, ledger: LedgerContext, pending: PendingEvent): Promise<Applied> {
  const { event } = pending
  const known = (await findKnown(tx, [pending])).get(pending)
  if (known === undefined) return applyToNewJob(tx, ledger, pending)
  const { jobId, ended } = known
  const moved = known.isMoved && (await moveJob(tx, jobId, event, pending.cause))
  if (known.awaitsApproval && isApproved(event)) {
    const isChanged = await approve(tx, jobId, pending.cause)
    return { result: resultOf(jobId, { isChanged: isChanged || moved }), pools: null }
  }
  const effect = ended ? undefined : await applyUnlessQueued(tx, ledger, pending)
  const isChanged = moved || effect?.isChanged === true
  return { result: resultOf(jobId, { ...effect, isChanged }), pools: null }
}

async function applyToNewJob(tx: Db, ledger: LedgerContext, pending: PendingEvent): Promise<Applied> {
  const { event } = pending
  await tx.query(sql`lock table pools in row share mode`) // the pools stay as they are until the job is in
  const pools = await listPools(tx)
  const pool = routeToPool(event.job, pools)
  const areLabelsOurs = pools.some((each) => hasLabels(each, event.job.labels))
  if (isForeign(event, areLabelsOurs)) return { result: { kind: 'foreign' }, pools }
  const jobId = await insertJob(tx, { pending, pool, staleQueuedAfterMs: ledger.staleQueuedAfterMs })
  // Another process inserted it at the same time, and was first.
  if (jobId === null) return applyToJob(tx, ledger, pending)
  const effect = await applyUnlessQueued(tx, ledger, pending)
  return { result: { kind: 'new', jobId, ...(effect?.isLost && { isLost: true }) }, pools }
}

/** An event that says `queued` changes nothing of a job that is known. */
async function applyUnlessQueued(
  tx: Db,
  ledger: LedgerContext,
  pending: PendingEvent,
): Promise<Effect | undefined> {
  if (pending.event.status === 'queued') return undefined
  return (await applyToBoundRows(tx, ledger, [pending])).get(pending)
}
