import { type Db, prepared, sql } from '../../connection/index.ts'

/** Notes that these runners ask for work still; gives those that are polling. */
export async function waiting(db: Db, runnerIds: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await db.query<{ id: number }>(
    prepared(
      'touch-waiting',
      sql`
    update runners
       set polled_at = now()
     where id = any (array(select id from runners
                            where id = any (${runnerIds}::bigint[]) and state = 'polling'
                            order by id
                              for no key update))
    returning id`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}
