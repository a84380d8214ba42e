import { fileURLToPath } from 'node:url'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { reasonOf } from '../../../domain/reason.ts'
import type { Log } from '../../../ports/log.ts'
import { type Database, type Db, sql, sqlStateOf } from '../connection/index.ts'
import { type Migration, readMigrations } from './read-files.ts'

export interface MigrateOptions {
  readonly dryRun?: boolean
  /** By default the program's own migrations/. */
  readonly folder?: string
  readonly log: Log
}

export interface Migrated {
  /** Files applied by this call. */
  readonly applied: readonly string[]
  /** Files that a dry run would apply. */
  readonly pending: readonly string[]
}

interface AppliedRow {
  readonly version: number
  readonly name: string
  readonly checksum: string
}

/** Any number, but the same in every version of the program. */
export const advisoryLockKey = 4_815_162_342
/** Ten processes that start at once wait for the one that migrates. */
const lockTimeoutMs = 10 * 60_000
const statementTimeoutMs = 30 * 60_000
const ownTable = `
  create table if not exists schema_migrations (
    version    integer primary key check (version > 0),
    name       text not null,
    checksum   text not null,
    applied_at timestamptz not null default now()
  )`
/** The role neither owns the tables nor may make any. */
const insufficientPrivilege = '42501'

/** Brings the schema to what this program knows, each file in a transaction of its own, one process at a time. */
export async function migrate(database: Database, options: MigrateOptions): Promise<Migrated> {
  const { dryRun = false, folder = programFolder(), log } = options
  const known = await readMigrations(folder)
  if (dryRun) return { applied: [], pending: (await pendingOf(database, known)).map(({ file }) => file) }
  const applied: string[] = []
  for (;;) {
    const file = await applyNext(database, known)
    if (file === undefined) return { applied, pending: [] }
    log.info({ file }, 'applied a migration to the ledger')
    applied.push(file)
  }
}

function programFolder(): string {
  return fileURLToPath(new URL('../../../../migrations', import.meta.url))
}

/** Migrations that are not applied yet; refuses a database that this program must not touch. */
async function pendingOf(db: Db, known: readonly Migration[]): Promise<Migration[]> {
  const applied = await readApplied(db)
  const newest = applied.at(-1)
  if (newest !== undefined && newest.version > known.length) {
    const program = known.at(-1)?.file.replace(/\.sql$/, '') ?? 'none'
    throw new HoldfastError('E_LEDGER_NEWER', { database: label(newest), program })
  }
  for (const { version, checksum } of applied) {
    const migration = known[version - 1]
    if (migration === undefined || migration.checksum === checksum) continue
    const shortened = { applied: checksum.slice(0, 12), found: migration.checksum.slice(0, 12) }
    throw new HoldfastError('E_MIGRATION_CHANGED', { file: migration.file, ...shortened })
  }
  const versions = new Set(applied.map(({ version }) => version))
  return known.filter(({ version }) => !versions.has(version))
}

async function readApplied(db: Db): Promise<readonly AppliedRow[]> {
  const { rows } = await db.query<{ there: boolean }>(
    sql`select to_regclass('schema_migrations') is not null as there`,
  )
  if (!rows[0]?.there) return []
  return (
    await db.query<AppliedRow>(sql`select version, name, checksum from schema_migrations order by version`)
  ).rows
}

/** Applies the first pending file. What is pending is asked under the lock: another process may have been faster. */
async function applyNext(database: Database, known: readonly Migration[]): Promise<string | undefined> {
  return database.transaction(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${advisoryLockKey})`)
      // A role that may only read schema_migrations gets this far, and returns where nothing is pending.
      const [next] = await pendingOf(tx, known)
      if (next === undefined) return undefined
      await runFile(tx, { ...next, text: ownTable })
      await runFile(tx, next)
      await tx.query(sql`
        insert into schema_migrations (version, name, checksum)
        values (${next.version}, ${next.name}, ${next.checksum})`)
      return next.file
    },
    { statementTimeoutMs, lockTimeoutMs },
  )
}

async function runFile(tx: Db, { file, text }: Migration): Promise<void> {
  try {
    await tx.query({ text, values: [] })
  } catch (error) {
    const state = sqlStateOf(error)
    if (state === undefined || /^(08|57P|25006|53|40)/.test(state)) throw error
    if (state === insufficientPrivilege) throw new HoldfastError('E_MIGRATION_RIGHTS', { file }, error)
    const position = Number(Object(error).position)
    const line = position > 0 ? text.slice(0, position).split('\n').length : 0
    const reason = reasonOf(error)
    throw new HoldfastError('E_MIGRATION_FAILED', { file, line, reason }, error)
  }
}

function label({ version, name }: AppliedRow): string {
  return `${String(version).padStart(4, '0')}_${name}`
}
