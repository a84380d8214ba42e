import type { ForgeWord } from '../../../../domain/binding/index.ts'
import { type Pool, routeToPool } from '../../../../domain/pool/index.ts'
import type { Cause, Heard } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import type { LedgerContext } from '../context.ts'
import { ensureInstallation } from '../pool/installation.ts'
import { listPools } from '../pool/list.ts'
import { applyWord } from './apply-word.ts'
import { insertJob } from './insert.ts'

/** Applies what the forge said about a job. Most words announce a new one, which takes a single round trip. */
export async function hear(ledger: LedgerContext, word: ForgeWord, cause: Cause): Promise<Heard> {
  const { database, installations, staleQueuedAfterMs } = ledger
  await ensureInstallation(database, word.job.installation, installations)
  const likely = word.status === 'queued' ? routeToPool(word.job.labels, ledger.pools.all) : null
  if (likely !== null) {
    const jobId = await insertJob(database, { word, pool: likely, staleQueuedAfterMs }, cause)
    if (jobId !== null) return { kind: 'new', jobId }
  }
  const { pools, heard } = await database.transaction((tx) => hearSlowly(tx, ledger, word, cause))
  if (pools !== null) ledger.pools.all = pools
  return heard
}

interface Outcome {
  readonly heard: Heard
  /** The pools, where they were read. */
  readonly pools: readonly Pool[] | null
}

async function hearSlowly(tx: Db, ledger: LedgerContext, word: ForgeWord, cause: Cause): Promise<Outcome> {
  const known = await findKnown(tx, word)
  if (known !== null) {
    const { jobId, ended } = known
    const changed = !ended && word.status !== 'queued' && (await applyWord(tx, ledger, word, cause))
    return { heard: { kind: changed ? 'changed' : 'nothing', jobId }, pools: null }
  }
  await tx.query(sql`lock table pools in row share mode`) // the pools stay as they are until the job is in
  const pools = await listPools(tx)
  const pool = routeToPool(word.job.labels, pools)
  if (pool === null && !asksForSelfHosted(word.job.labels)) return { heard: { kind: 'foreign' }, pools }
  const { staleQueuedAfterMs } = ledger
  const jobId = await insertJob(tx, { word, pool, staleQueuedAfterMs }, cause)
  // Somebody else was told of it at the same time, and was first.
  if (jobId === null) return hearSlowly(tx, ledger, word, cause)
  if (word.status !== 'queued') await applyWord(tx, ledger, word, cause)
  return { heard: { kind: 'new', jobId }, pools }
}

/** A job that is in the archive is known too: a late word about it changes nothing (I8). */
async function findKnown(tx: Db, word: ForgeWord): Promise<{ jobId: number; ended: boolean } | null> {
  const { installation, forgeJobId } = word.job
  const { rows } = await tx.query<{ id: number; ended: boolean }>(sql`
    select id, ended_at is not null as ended from jobs
     where installation = ${installation} and forge_job_id = ${forgeJobId}
    union all
    select id, true from archived_jobs
     where installation = ${installation} and forge_job_id = ${forgeJobId}`)
  return rows[0] === undefined ? null : { jobId: rows[0].id, ended: rows[0].ended }
}

function asksForSelfHosted(labels: readonly string[]): boolean {
  return labels.some((label) => label.toLowerCase() === 'self-hosted')
}
