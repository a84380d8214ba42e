import { openDatabase, targetOf } from '../adapters/postgres/connection/index.ts'
import { grantTo, type Migrated, migrate, ownsLedger } from '../adapters/postgres/migrations/index.ts'
import type { Base } from './base.ts'
import type { Store } from './store.ts'

/**
 * Brings the schema up to date as the role that owns it, and gives the program's own role what it needs of it. Where both
 * are one, that is said: it could lift the locks that the database holds against it.
 */
export async function prepareLedger(
  base: Base,
  store: Store,
  { dryRun = false, signal }: { readonly dryRun?: boolean; readonly signal: AbortSignal },
): Promise<Migrated> {
  const { log, clock, entropy } = base
  if (store.ownerUrl === undefined) {
    const migrated = await migrate(store.database, { dryRun, log })
    if (!dryRun) await sayIfOwner(base, store)
    return migrated
  }
  const { ownerUrl: url, tls } = store
  const owner = await openDatabase({ url, tls, poolMax: 1, log, clock, entropy, signal })
  try {
    const migrated = await migrate(owner, { dryRun, log })
    if (!dryRun && !(await sayIfOwner(base, store))) await grantTo(owner, targetOf(store.url, tls).user)
    return migrated
  } finally {
    await owner.close()
  }
}

async function sayIfOwner({ log }: Base, { database }: Store): Promise<boolean> {
  const owns = await ownsLedger(database)
  if (owns) {
    log.warn(
      { setting: 'HOLDFAST_DATABASE_MIGRATE_URL' },
      'the role of DATABASE_URL owns the ledger and could lift its locks: let another role migrate',
    )
  }
  return owns
}
