import type { RunnerLedger } from '../../../../ports/ledger.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { groupCommitAll } from '../group-commit.ts'

interface IdentityProof {
  readonly runnerId: number
  readonly identityHash: string
}

/** The first proof is its own from then on; the same again is the same runner. A runner that never was has none. */
export function createBinding(db: Db): RunnerLedger['bindIdentity'] {
  const bindTogether = groupCommitAll<IdentityProof, 'bound' | 'other'>({
    conflict: (a, b) => a.runnerId === b.runnerId,
    async run(proofs) {
      const bound = await bindAll(db, proofs)
      return proofs.map(({ runnerId }) => (bound.has(runnerId) ? 'bound' : 'other'))
    },
  })
  return (runnerId, identityHash) => bindTogether({ runnerId, identityHash })
}

/** Whose proof it is now. Rows are locked in the order of their ids, as by everybody. */
async function bindAll(db: Db, proofs: readonly IdentityProof[]): Promise<ReadonlySet<number>> {
  const inOrder = proofs.toSorted((a, b) => a.runnerId - b.runnerId)
  const { rows } = await db.query<{ id: number }>(
    prepared(
      'bind-identities',
      sql`
    with proofs as (
      select id, hash, identity_hash
        from unnest(${inOrder.map(({ runnerId }) => runnerId)}::bigint[],
                    ${inOrder.map(({ identityHash }) => identityHash)}::text[]) as proof (id, hash)
        join runners using (id)
       where identity_hash is null or identity_hash = hash
       order by id
         for no key update of runners
    ), bound as (
      update runners set identity_hash = hash
        from proofs
       where runners.id = proofs.id and proofs.identity_hash is null
    )
    select id from proofs`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}
