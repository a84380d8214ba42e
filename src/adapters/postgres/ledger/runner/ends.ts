import { deathClasses, type Verdict } from '../../../../domain/death/index.ts'
import type { EndCount, EndFilter, EndRow } from '../../../../ports/ledger.ts'
import { type Db, type Sql, sql } from '../../connection/index.ts'
import { milliseconds, type Row, text } from '../rows/index.ts'

/** Ends in short, newest first. */
export async function ends(db: Db, filter: EndFilter): Promise<EndRow[]> {
  const { rows } = await db.query<Row>(newestEnds(filter))
  return rows.map(toEnd)
}

export function newestEnds(filter: EndFilter): Sql {
  return sql`
    select * from ends where ${conditionOf(filter)} order by sealed_at desc, runner_id desc limit ${filter.limit}`
}

/** How many there are of each class. */
export async function endCounts(db: Db, filter: Omit<EndFilter, 'limit'>): Promise<EndCount[]> {
  const { rows } = await db.query<{ class: string; count: number }>(sql`
    select class, count(*) as count from ends where ${conditionOf(filter)}
     group by class
     order by count(*) desc, class collate "C"`)
  return rows.map(({ class: name, count }) => ({ class: classOf(name), count }))
}

function conditionOf({ withinMs, classes, node, pools }: Omit<EndFilter, 'limit'>): Sql {
  const ofClasses = classes === undefined ? sql`` : sql`and class = any (${classes}::text[])`
  const onNode = node === undefined ? sql`` : sql`and node = ${text(node)}`
  const ofPools = pools === undefined ? sql`` : sql`and pool = any (${pools.map(text)}::text[])`
  return sql`sealed_at >= now() - ${milliseconds(withinMs)}::interval ${ofClasses} ${onNode} ${ofPools}`
}

function toEnd(row: Row): EndRow {
  return {
    runnerId: row.runner_id as number,
    runner: row.runner as string,
    pool: row.pool as string,
    class: classOf(row.class as string),
    confidence: row.confidence as Verdict['confidence'],
    at: row.at as number,
    sealedAt: row.sealed_at as number,
    node: row.node as string | null,
    image: row.image as string | null,
    repository: row.repository as string | null,
    jobId: row.job_id as number | null,
  }
}

/** A newer program may have sealed one that this one does not know. */
function classOf(name: string): EndRow['class'] {
  return deathClasses.find((known) => known === name) ?? 'unknown'
}
