import { isApproved, isForeign } from '../../../../domain/binding/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { hasLabels, type Pool, routeToPool } from '../../../../domain/pool/index.ts'
import { type Heard, type Ledger, outcomeOf } from '../../../../ports/ledger.ts'
import { type Db, isLostRace, sql } from '../../connection/index.ts'
import { batched } from '../batch.ts'
import type { LedgerContext } from '../context.ts'
import { settleAll } from '../delivery/settle.ts'
import { ensureInstallation } from '../pool/installation.ts'
import { listPools } from '../pool/list.ts'
import { applyWords, type Effect } from './apply-words.ts'
import { approve } from './approve.ts'
import { findKnown } from './find-known.ts'
import { heardOf, hearTogether } from './hear-together.ts'
import { insertJob, insertLikely } from './insert.ts'
import { moveJob } from './move.ts'
import type { Said } from './said.ts'

/** No more locks are held together. */
const batchMax = 64

type Outcome = { readonly heard: Heard } | { readonly refused: unknown }

/**
 * Applies what the forge says about jobs. Words that come while others are worked on go together in the next
 * transaction: what one costs is mostly round trips and the commit (starts of jobs a second, each with its delivery
 * settled, on two cores: 340 one by one with two commits each, 1,200 together; on busy ones 45 and 320).
 */
export function createHearing(ledger: LedgerContext): Ledger['hear'] {
  const hearOneOfMany = batched<Said, Outcome>({
    max: batchMax,
    conflict: (a, b) => isSameJob(a, b) || isSameRunner(a, b) || isOtherCause(a, b),
    run: (_, batch) => hearSafely(batch),
  })

  return async (word, cause, settles) => {
    await ensureInstallation(ledger.database, word.job.installation, ledger.installations)
    const outcome = await hearOneOfMany('', { word, cause, settles: settles ?? null })
    if ('refused' in outcome) throw outcome.refused
    return outcome.heard
  }

  /** One that cannot be carried out takes no other with it. */
  async function hearSafely(batch: readonly Said[]): Promise<Outcome[]> {
    const alone = (said: Said) => hearAlone(ledger, said)
    if (batch.length === 1) return inTurn(batch, alone)
    try {
      const together = await ledger.database.transaction((tx) => hearTogether(tx, ledger, batch))
      return await inTurn(batch, async (said) => together.get(said) ?? alone(said))
    } catch (error) {
      if (error instanceof HoldfastError && error.entry.retryable)
        return batch.map(() => ({ refused: error }))
      return inTurn(batch, alone)
    }
  }
}

async function inTurn(batch: readonly Said[], hear: (said: Said) => Promise<Heard>): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const said of batch) {
    const outcome = hear(said).then(
      (heard) => ({ heard }),
      (error: unknown) => ({ refused: error }),
    )
    outcomes.push(await outcome)
  }
  return outcomes
}

/** Most words that come alone announce a new job, which takes a single round trip. */
async function hearAlone(ledger: LedgerContext, said: Said): Promise<Heard> {
  const jobId = await insertLikely(ledger.database, ledger, said).catch((error: unknown) => {
    if (isLostRace(error)) return null // it was being archived
    throw error
  })
  if (jobId !== null) return { kind: 'new', jobId }
  const { pools, heard } = await ledger.database.transaction((tx) => hearSlowly(tx, ledger, said))
  if (pools !== null) ledger.pools.all = pools
  return heard
}

interface Slowly {
  readonly heard: Heard
  /** The pools, where they were read. */
  readonly pools: readonly Pool[] | null
}

async function hearSlowly(tx: Db, ledger: LedgerContext, said: Said): Promise<Slowly> {
  const slowly = await hearKnown(tx, ledger, said)
  if (said.settles !== null) await settleAll(tx, [{ guid: said.settles, ...outcomeOf(slowly.heard) }])
  return slowly
}

async function hearKnown(tx: Db, ledger: LedgerContext, said: Said): Promise<Slowly> {
  const { word } = said
  const known = (await findKnown(tx, [said])).get(said)
  if (known === undefined) return hearNew(tx, ledger, said)
  const { jobId, ended } = known
  const moved = known.isMoved && (await moveJob(tx, jobId, word.job.repository, said.cause))
  if (known.awaitsApproval && isApproved(word)) {
    const isChanged = await approve(tx, jobId, said.cause)
    return { heard: heardOf(jobId, { isChanged: isChanged || moved }), pools: null }
  }
  const effect = ended || word.status === 'queued' ? undefined : await applyWord(tx, ledger, said)
  const isChanged = moved || effect?.isChanged === true
  return { heard: heardOf(jobId, { ...effect, isChanged }), pools: null }
}

async function hearNew(tx: Db, ledger: LedgerContext, said: Said): Promise<Slowly> {
  const { word } = said
  await tx.query(sql`lock table pools in row share mode`) // the pools stay as they are until the job is in
  const pools = await listPools(tx)
  const pool = routeToPool(word.job, pools)
  const areLabelsOurs = pools.some((each) => hasLabels(each, word.job.labels))
  if (isForeign(word, areLabelsOurs)) return { heard: { kind: 'foreign' }, pools }
  const jobId = await insertJob(tx, { said, pool, staleQueuedAfterMs: ledger.staleQueuedAfterMs })
  // Somebody else was told of it at the same time, and was first.
  if (jobId === null) return hearKnown(tx, ledger, said)
  const effect = word.status === 'queued' ? undefined : await applyWord(tx, ledger, said)
  return { heard: { kind: 'new', jobId, ...(effect?.isLost && { isLost: true }) }, pools }
}

async function applyWord(tx: Db, ledger: LedgerContext, said: Said): Promise<Effect | undefined> {
  return (await applyWords(tx, ledger, [said])).get(said)
}

function isSameJob({ word: { job: a } }: Said, { word: { job: b } }: Said): boolean {
  return a.forgeJobId === b.forgeJobId && a.installation === b.installation
}

function isSameRunner({ word: a }: Said, { word: b }: Said): boolean {
  return a.runnerName !== null && a.runnerName === b.runnerName
}

/** The timeline names one cause for all that a transaction changes. */
function isOtherCause({ cause: a }: Said, { cause: b }: Said): boolean {
  return a.source !== b.source || a.rule !== b.rule
}
