import { type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'

/** A virtual queue (GCRA): the cursor is when the last turn that was taken ends, and one statement takes the next. */
export async function takeTurn(db: Db, name: string, costMs: number, aheadMsMax: number): Promise<number> {
  const { rowCount } = await db.query(sql`
    with given as (
      select now() as now, ${milliseconds(costMs)}::interval as cost, ${milliseconds(aheadMsMax)}::interval as ahead
    )
    insert into cursors (name, at)
    select ${name}, now + cost from given where cost <= ahead
    on conflict (name) do update
       set at = greatest(cursors.at, (select now from given)) + (select cost from given)
     where greatest(cursors.at, (select now from given)) + (select cost from given)
           <= (select now + ahead from given)`)
  return rowCount === 0 ? untilTurnMs(db, name, costMs - aheadMsMax) : 0
}

/** A statement of its own: the refused one may have waited for turns that its snapshot does not show. */
async function untilTurnMs(db: Db, name: string, beyondMs: number): Promise<number> {
  const { rows } = await db.query<{ in_ms: number }>(sql`
    select greatest(1, extract(epoch from
             greatest((select at from cursors where name = ${name}), now()) - now() + ${milliseconds(beyondMs)}::interval
           ) * 1000)::double precision as in_ms`)
  return rows[0]?.in_ms ?? 1
}
