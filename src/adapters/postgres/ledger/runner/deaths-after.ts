import type { SealedDeath } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { deathsBeingSealed, lockNumberMax } from '../plan/index.ts'
import { type Row, storedJson } from '../rows/index.ts'

/**
 * Death records after a number, in the order of their numbers. A number is given before its transaction ends, so that
 * a greater one can be seen first: those that may still be overtaken are left for the next time.
 */
export async function deathsAfter(db: Db, evidenceId: number, limit: number): Promise<SealedDeath[]> {
  // One statement after the other: the newest number, then who is at it, then the rows.
  const newest = await newestNumber(db)
  const settled = await settledNumber(db, newest)
  const { rows } = await db.query<Row>(sql`
    (select evidence.id, evidence.runner_id, runners.name, runners.pool, runners.host, evidence.sealed_at, evidence.record
       from evidence
       join runners on runners.id = evidence.runner_id
      where evidence.kind = 'runner-death' and evidence.id > ${evidenceId} and evidence.id <= ${settled}
      order by evidence.id
      limit ${limit})
    union all
    (select evidence_id, id, name, file #>> '{runner,pool}', file #>> '{runner,host}', sealed_at, record
       from archived_runners
      where evidence_id > ${evidenceId} and evidence_id <= ${settled}
      order by evidence_id
      limit ${limit})
    order by id
    limit ${limit}`)
  return rows.map(toSealedDeath)
}

async function newestNumber(db: Db): Promise<number> {
  const { rows } = await db.query<{ newest: number }>(sql`select last_value as newest from evidence_id_seq`)
  return rows[0]?.newest ?? 0
}

/**
 * Up to here every number is either in the tables or will never be. A lock names the lower 31 bits of its number, which
 * is near the newest: what would be more than half of them behind it was taken after that was read.
 */
async function settledNumber(db: Db, newest: number): Promise<number> {
  const { rows } = await db.query<{ behind: number | null }>(sql`
    select max(behind) filter (where behind <= ${Math.floor(lockNumberMax / 2)}::bigint) as behind
      from (select (${newest}::bigint - objid::bigint) & ${lockNumberMax}::bigint as behind
      from pg_locks
     where locktype = 'advisory' and objsubid = 2 and classid::bigint = ${deathsBeingSealed}
       and database = (select oid from pg_database where datname = current_database())) as sealing`)
  return newest - (rows[0]?.behind ?? 0)
}

function toSealedDeath(row: Row): SealedDeath {
  const id = row.id as number
  return {
    id,
    runnerId: row.runner_id as number,
    runner: row.name as string,
    pool: row.pool as string,
    host: row.host as string,
    sealedAt: row.sealed_at as number,
    record: storedJson.facts(row.record, { table: 'evidence', id, column: 'record' }),
  }
}
