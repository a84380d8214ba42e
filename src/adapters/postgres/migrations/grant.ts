import { createHash } from 'node:crypto'
import pg from 'pg'
import { type Database, type Db, sql } from '../connection/index.ts'
import { grantedFunctions, grantOn } from './grants.ts'
import { advisoryLockKey } from './migrate.ts'

/**
 * Gives a role what the program needs of the ledger, and takes away what else it had. For the owner to call, after the
 * migrations; where nothing has changed it changes nothing.
 */
export async function grantTo(owner: Database, role: string): Promise<void> {
  await owner.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${advisoryLockKey})`)
    const statements = await grantsFor(tx, role)
    const mark = `granted ${createHash('sha256').update(statements.join()).digest('hex')}`
    if ((await readMark(tx)) === mark) return
    for (const text of statements) await tx.query({ text, values: [] })
    await tx.query({ text: `comment on table schema_migrations is '${mark}'`, values: [] })
  })
}

async function grantsFor(tx: Db, role: string): Promise<string[]> {
  const { rows } = await tx.query<{ schema: string; table: string }>(sql`
    select current_schema() as schema, relname as table
      from pg_class
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
     order by relname`)
  const to = pg.escapeIdentifier(role)
  const schema = pg.escapeIdentifier(rows[0]?.schema ?? 'public')
  return [
    `revoke all on all tables in schema ${schema} from ${to}`,
    `grant usage on schema ${schema} to ${to}`,
    // Deaths are numbered by a sequence that is read; to draw from one needs no right where a table does it.
    `grant select on all sequences in schema ${schema} to ${to}`,
    ...rows.map(({ table }) => `grant ${grantOn(table)} on ${pg.escapeIdentifier(table)} to ${to}`),
    ...grantedFunctions.map((each) => `grant execute on function ${each} to ${to}`),
  ]
}

async function readMark(tx: Db): Promise<string | null> {
  const { rows } = await tx.query<{ mark: string | null }>(sql`
    select obj_description('schema_migrations'::regclass, 'pg_class') as mark`)
  return rows[0]?.mark ?? null
}

/** Whether the session's role could lift the locks: it owns the tables, or may do as their owner or anything at all. */
export async function ownsLedger(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ owns: boolean }>(sql`
    select pg_has_role(relowner, 'member') or (select rolsuper from pg_roles where rolname = current_user) as owns
      from pg_class where oid = 'jobs'::regclass`)
  return rows[0]?.owns ?? false
}
