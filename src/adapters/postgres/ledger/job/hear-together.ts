import { isApproved } from '../../../../domain/binding/index.ts'
import { type Heard, outcomeOf } from '../../../../ports/ledger.ts'
import type { Db } from '../../connection/index.ts'
import type { LedgerContext } from '../context.ts'
import { settleAll } from '../delivery/settle.ts'
import { applyWords, type Effect } from './apply-words.ts'
import { findKnown } from './find-known.ts'
import { insertLikely } from './insert.ts'
import type { Said } from './said.ts'

/**
 * Applies words about different jobs in one transaction, and settles their deliveries. Those that are not in what it
 * gives must be heard alone: nobody knows their job or its pool yet, or they concern the same runner as another.
 */
export async function hearTogether(
  tx: Db,
  ledger: LedgerContext,
  batch: readonly Said[],
): Promise<Map<Said, Heard>> {
  const fresh = await insertAll(tx, ledger, batch)
  const late = await hearLate(
    tx,
    ledger,
    batch.filter((said) => !fresh.has(said)),
  )
  const settled = [...late].flatMap(([{ settles }, heard]) =>
    settles === null ? [] : [{ guid: settles, ...outcomeOf(heard) }],
  )
  await settleAll(tx, settled)
  return new Map([...fresh, ...late])
}

/**
 * The server carries them out one after the other, because a job's place in the queue depends on those before it; in the
 * order of the forge's numbers, so that two processes which hear the same words wait for each other in the same order.
 */
async function insertAll(tx: Db, ledger: LedgerContext, batch: readonly Said[]): Promise<Map<Said, Heard>> {
  const inOrder = batch.toSorted((a, b) => a.word.job.forgeJobId - b.word.job.forgeJobId)
  const ids = await Promise.all(inOrder.map((said) => insertLikely(tx, ledger, said)))
  return new Map(
    inOrder.flatMap((said, index): [Said, Heard][] => {
      const jobId = ids[index] ?? null
      return jobId === null ? [] : [[said, { kind: 'new', jobId }]]
    }),
  )
}

async function hearLate(tx: Db, ledger: LedgerContext, batch: readonly Said[]): Promise<Map<Said, Heard>> {
  const known = await findKnown(tx, batch)
  // An approval and a move are rare, and are heard alone.
  for (const [said, { awaitsApproval, isMoved }] of known) {
    if (isMoved || (awaitsApproval && isApproved(said.word))) known.delete(said)
  }
  const telling = [...known].filter(([{ word }, { ended }]) => !ended && word.status !== 'queued')
  const applied = await applyWords(
    tx,
    ledger,
    telling.map(([said]) => said),
  )
  const isLeft = new Set(telling.map(([said]) => said).filter((said) => !applied.has(said)))
  return new Map(
    [...known]
      .filter(([said]) => !isLeft.has(said))
      .map(([said, { jobId }]) => [said, heardOf(jobId, applied.get(said))]),
  )
}

/** What was heard of a job that is known. */
export function heardOf(jobId: number, effect: Effect | undefined): Heard {
  if (!effect?.isChanged) return { kind: 'nothing', jobId }
  return { kind: 'changed', jobId, ...(effect.isLost && { isLost: true }) }
}
