import { type Database, type Db, instant, type Sql, sql } from '../../connection/index.ts'
import { channels, notify } from '../plan/index.ts'
import { milliseconds } from '../rows/index.ts'

/** Clocks are corrected by less all the time, and what waits so much longer waits for nothing else. */
const toleratedMs = 2_000

/** Notes the database's time. Where it went back, what was to happen later comes earlier by as much; gives by how much. */
export function noteTime(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.query(sql`insert into clock (at) values (clock_timestamp()) on conflict (id) do nothing`)
    const last = await tx.query<{ at: number }>(sql`select at from clock for update`)
    // Asked behind the lock: who waited for it has an older time in now().
    const { rows } = await tx.query<{ now: number }>(sql`select clock_timestamp() as now`)
    const now = rows[0]?.now ?? 0
    await tx.query(sql`update clock set at = ${instant(now)}`)
    const backMs = (last.rows[0]?.at ?? now) - now
    if (backMs <= toleratedMs) return 0
    await bringBack(tx, now, backMs)
    return backMs
  })
}

/** Whatever is compared with the time to decide when something happens. What did happen keeps the time that it has. */
async function bringBack(tx: Db, now: number, backMs: number): Promise<void> {
  const at = instant(now)
  const by = milliseconds(backMs)
  const earlier = (column: Sql) => sql`
    ${column} = case when ${column} > ${at}::timestamptz then ${column} - ${by}::interval else ${column} end`
  const notBefore = earlier(sql`not_before`)
  const checkAt = earlier(sql`check_at`)
  await tx.query(sql`
    update jobs set ${notBefore}, ${checkAt}
     where ended_at is null and greatest(not_before, check_at) > ${at}::timestamptz`)
  await tx.query(sql`
    update attempts set ${checkAt} where ended_at is null and check_at > ${at}::timestamptz`)
  await tx.query(sql`
    update runners set ${checkAt} where ended_at is null and check_at > ${at}::timestamptz`)
  await tx.query(sql`update holds set ${earlier(sql`until`)} where until > ${at}::timestamptz`)
  await tx.query(sql`
    update deliveries set ${earlier(sql`retry_at`)} where state = 'pending' and retry_at > ${at}::timestamptz`)
  await tx.query(sql`update set_aside set ${earlier(sql`retry_at`)} where retry_at > ${at}::timestamptz`)
  await tx.query(sql`select pg_notify(${channels.jobs}, name) from pools where removed_at is null`)
  await notify(tx, 'deliveries')
  await notify(tx, 'recovery')
}
