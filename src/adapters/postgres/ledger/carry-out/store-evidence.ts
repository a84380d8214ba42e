import type { Evidence } from '../../../../domain/binding/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { json } from '../rows/index.ts'

/** Seals evidence before the rows that name it are written; gives the id of each. A runner has one death. */
export async function storeEvidence(
  tx: Db,
  evidence: readonly Evidence[],
): Promise<(evidence: Evidence) => number> {
  const ids = new Map<unknown, number>()
  for (const item of evidence) ids.set(keyOf(item), await insertEvidence(tx, item))
  return (item) => {
    const id = ids.get(keyOf(item))
    if (id === undefined) throw new HoldfastError('E_BUG', { what: `${item.kind} evidence was not stored` })
    return id
  }
}

function keyOf(evidence: Evidence): unknown {
  return evidence.kind === 'runner-death' ? evidence.runnerId : evidence
}

async function insertEvidence(tx: Db, evidence: Evidence): Promise<number> {
  const runnerId = evidence.kind === 'runner-death' ? evidence.runnerId : null
  const { rows } = await tx.query<{ id: number }>(sql`
    with sealed as (
      insert into evidence (kind, runner_id, record)
      values (${evidence.kind}, ${runnerId}, ${json(evidence.record)})
      on conflict (runner_id) where kind = 'runner-death' do nothing
      returning id
    )
    select id from sealed
    union all
    select id from evidence where kind = 'runner-death' and runner_id = ${runnerId}`)
  return rows[0]?.id as number
}
