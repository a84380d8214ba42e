import { endSummaryOf } from '../../../../domain/death/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Evidence } from '../../../../domain/job-event/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { instantOrNull, json, textOrNull } from '../rows/index.ts'

/** Names the locks of transactions that seal deaths; see `insertDeath`. */
export const deathsBeingSealed = 4_815

/** A lock names 32 bits, of which one is a sign: of a greater number it names the lower part. */
export const lockNumberMax = 2 ** 31 - 1

/** Seals evidence before the rows that name it are written; gives the id of each. A runner has one death. */
export async function storeEvidence(
  tx: Db,
  evidence: readonly Evidence[],
): Promise<(evidence: Evidence) => number> {
  const ids = new Map<unknown, number>()
  const proofs = evidence.filter(({ kind }) => kind !== 'runner-death')
  const proofIds = await insertProofs(tx, proofs)
  proofs.forEach((proof, place) => {
    ids.set(proof, proofIds[place] as number)
  })
  // Sent in one go: a node that dies takes all its runners along.
  const deaths = evidence.filter((item) => item.kind === 'runner-death')
  const deathIds = await Promise.all(deaths.map((death) => insertDeath(tx, death)))
  deaths.forEach(({ runnerId }, place) => {
    ids.set(runnerId, deathIds[place] as number)
  })
  return (item) => {
    const id = ids.get(item.kind === 'runner-death' ? item.runnerId : item)
    if (id === undefined) throw new HoldfastError('E_BUG', { what: `${item.kind} evidence was not stored` })
    return id
  }
}

/** Ids are given in the order of the rows. */
async function insertProofs(tx: Db, proofs: readonly Evidence[]): Promise<number[]> {
  if (proofs.length === 0) return []
  const { rows } = await tx.query<{ id: number }>(sql`
    with sealed as (
      insert into evidence (kind, record)
      select kind, record
        from unnest(
               ${proofs.map(({ kind }) => kind)}::text[],
               ${proofs.map(({ record }) => json(record))}::jsonb[]
             ) with ordinality as proof (kind, record, place)
       order by place
      returning id
    )
    select id from sealed order by id`)
  return rows.map(({ id }) => id)
}

/**
 * The lock is shared and hinders nobody. Its holder may commit a number greater than the one that it names, and
 * a reader of deaths in the order of their numbers stops there. It is taken before the number is. The end in short
 * is written with the record: a look at many ends reads no records.
 */
async function insertDeath(tx: Db, death: Extract<Evidence, { kind: 'runner-death' }>): Promise<number> {
  const end = endSummaryOf(death.record)
  const { rows } = await tx.query<{ id: number }>(sql`
    with noted as materialized (
      select pg_advisory_xact_lock_shared(${deathsBeingSealed}, (last_value & ${lockNumberMax})::integer) from evidence_id_seq
    ), sealed as (
      insert into evidence (kind, runner_id, record)
      select ${death.kind}, ${death.runnerId}::bigint, ${json(death.record)}::jsonb from noted
      on conflict (runner_id) where kind = 'runner-death' do nothing
      returning id
    ), summarised as (
      insert into ends (runner_id, runner, pool, class, confidence, at, node, image, repository, job_id)
      select runners.id, runners.name, runners.pool, ${end.class}, ${end.confidence},
             least(${instantOrNull(end.endedAt)}::timestamptz, now()),
             ${textOrNull(end.node)}, ${textOrNull(end.image)}, ${textOrNull(end.repository)}, ${end.jobId}::bigint
        from sealed
        join runners on runners.id = ${death.runnerId}
    )
    select id from sealed
    union all
    select id from evidence where kind = 'runner-death' and runner_id = ${death.runnerId}`)
  return rows[0]?.id as number
}
