import { type Db, sql } from '../../connection/index.ts'

/** Keeps our advisory locks apart from those of others. */
const remedyLock = 0x40_1d_fa_59

/** Takes the lock of all remedies of this database for the session; gives its holder where another has it. */
export async function takeLock(session: Db): Promise<{ readonly heldBy: string } | 'taken'> {
  const { rows } = await session.query<{ taken: boolean }>(
    sql`select pg_try_advisory_lock(${remedyLock}, 0) as taken`,
  )
  return rows[0]?.taken ? 'taken' : { heldBy: await holderOf(session) }
}

/** The other session, in words for people. */
async function holderOf(session: Db): Promise<string> {
  const { rows } = await session.query<{ holder: string }>(sql`
    select format('session %s of the database, from %s', pid, coalesce(host(client_addr), 'a local socket')) as holder
      from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and classid = ${remedyLock} and objid = 0 and granted
       and pg_locks.database = (select oid from pg_database where datname = current_database())`)
  return rows[0]?.holder ?? 'its session ended just now'
}
