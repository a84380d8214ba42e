import type { Handle } from '../../../../domain/attempt/index.ts'
import { incidentKinds, incidentTable } from '../../../../domain/incident/index.ts'
import { type Job, nameKey } from '../../../../domain/job/index.ts'
import type { AttemptLedger, Fenced } from '../../../../ports/ledger.ts'
import type { Sealed } from '../../../../ports/vault.ts'
import { type Database, type Db, prepared, type Sql, sql } from '../../connection/index.ts'
import { byDispatch } from '../cause.ts'
import { groupCommitAll } from '../group-commit.ts'
import { closing, wakeFreed } from '../incident/closing.ts'
import { applyPlan, lockOpenAttempts } from '../plan/index.ts'

const liftedKinds = incidentKinds.filter((kind) => incidentTable[kind].isLiftedByMint)

interface Mint {
  readonly handle: Handle
  readonly forgeRunnerId: number
  readonly jit: Sealed
  readonly deadlineMs: number
}

/** `claimed → minted`. A second mint for the same attempt changes nothing: the first JIT may be on its way (I2). */
export function createMinting(database: Database): AttemptLedger['minted'] {
  const mintTogether = groupCommitAll<Mint, Fenced>({
    conflict: (a, b) => a.handle === b.handle,
    run: (mints) => database.transaction((tx) => mintAll(tx, mints)),
  })
  return (handle, forgeRunnerId, jit, deadlineMs) => mintTogether({ handle, forgeRunnerId, jit, deadlineMs })
}

async function mintAll(tx: Db, mints: readonly Mint[]): Promise<Fenced[]> {
  const bound = await lockOpenAttempts(
    tx,
    mints.map(({ handle }) => handle),
  )
  const fresh = mints.flatMap((mint, index) => {
    const one = bound.each[index] ?? null
    return one?.attempt.state === 'claimed' ? [{ mint, attemptId: one.attempt.id, job: one.job }] : []
  })
  if (fresh.length > 0) {
    const changes = fresh.map(({ mint: { forgeRunnerId, deadlineMs }, attemptId: id }) => {
      return { on: 'attempt', id, transition: { kind: 'minted', forgeRunnerId, deadlineMs } } as const
    })
    await applyPlan(tx, bound, changes, byDispatch, () => storeJits(tx, fresh))
  }
  return bound.each.map((one) => (one === null ? { kind: 'lost' } : { kind: 'ok' }))
}

interface Fresh {
  readonly mint: Mint
  readonly attemptId: number
  readonly job: Job
}

/**
 * Incidents that the mints disprove are over in the same statement. Where none is open that is a look into a small
 * index, and the plan is kept.
 */
async function storeJits(tx: Db, fresh: readonly Fresh[]): Promise<void> {
  await tx.query(
    prepared(
      'store-jits',
      sql`
    with stored as (
      update attempts set jit = fresh.jit, jit_key_id = fresh.key_id
        from unnest(
               ${fresh.map(({ attemptId }) => attemptId)}::bigint[],
               ${fresh.map(({ mint }) => Buffer.from(mint.jit.bytes))}::bytea[],
               ${fresh.map(({ mint }) => mint.jit.keyId)}::text[]
             ) as fresh (id, jit, key_id)
       where attempts.id = fresh.id
    ), ${closing(disprovedBy(fresh.map(({ job }) => job)))}
    ${wakeFreed}`,
    ),
  )
}

function disprovedBy(jobs: readonly Job[]): Sql {
  const places = jobs.flatMap(({ installation, repository, owner }) => [
    { installation, scope: 'repository', key: repository },
    { installation, scope: 'account', key: owner },
    { installation, scope: 'installation', key: installation },
  ])
  return sql`
    kind = any (${liftedKinds}::text[])
    and (installation, scope, lower(key)) in (
          select * from unnest(
                   ${places.map(({ installation }) => installation)}::text[],
                   ${places.map(({ scope }) => scope)}::text[],
                   ${places.map(({ key }) => nameKey(key))}::text[]))`
}
