import { type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'

/** A virtual queue (GCRA) in one statement: the cursor is when the last turn that was taken ends. */
export async function takeTurn(db: Db, name: string, costMs: number, aheadMsMax: number): Promise<number> {
  const { rows } = await db.query<{ in_ms: number }>(sql`
    with given as (
      select now() as now, ${milliseconds(costMs)}::interval as cost, ${milliseconds(aheadMsMax)}::interval as ahead
    ), taken as (
      insert into cursors (name, at)
      select ${name}, now + cost from given where cost <= ahead
      on conflict (name) do update
         set at = greatest(cursors.at, (select now from given)) + (select cost from given)
       where greatest(cursors.at, (select now from given)) + (select cost from given)
             <= (select now + ahead from given)
      returning at
    )
    select case when exists (select from taken) then 0
                else greatest(1, extract(epoch from
                       greatest(coalesce((select at from cursors where name = ${name}), now), now) + cost - ahead - now
                     ) * 1000)::double precision
           end as in_ms
      from given`)
  return rows[0]?.in_ms ?? 0
}
