import { openDatabase, targetOf } from '../../adapters/postgres/connection/index.ts'
import { grantTo, type Migrated, migrate, ownsLedger } from '../../adapters/postgres/migrations/index.ts'
import type { Base } from '../base.ts'
import type { LedgerDatabase } from './open-database.ts'

/**
 * Migrates the schema as its owner, then grants the program's role what it needs. Warns where both are the same role:
 * the program could then lift the database's own protection.
 */
export async function migrateSchema(
  base: Base,
  database: LedgerDatabase,
  { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal: AbortSignal },
): Promise<Migrated> {
  const { log, clock, entropy } = base
  if (database.ownerUrl === undefined) {
    const migrated = await migrate(database.pool, { dryRun, log })
    if (!dryRun) await warnIfOwner(base, database)
    return migrated
  }
  const { ownerUrl: url, tls } = database
  const owner = await openDatabase({ url, tls, poolMax: 1, log, clock, entropy, signal })
  try {
    const migrated = await migrate(owner, { dryRun, log })
    if (!dryRun && !(await warnIfOwner(base, database)))
      await grantTo(owner, targetOf(database.url, tls).user)
    return migrated
  } finally {
    await owner.close()
  }
}

async function warnIfOwner({ log }: Base, { pool }: LedgerDatabase): Promise<boolean> {
  const owns = await ownsLedger(pool)
  if (owns) {
    log.warn(
      { setting: 'HOLDFAST_DATABASE_MIGRATE_URL' },
      'the role of DATABASE_URL owns the ledger and could lift its locks: let another role migrate',
    )
  }
  return owns
}
