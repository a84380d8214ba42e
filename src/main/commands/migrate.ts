import type { Config } from '../../platform/config/index.ts'
import { createBase } from '../base.ts'
import { migrateSchema, openLedgerDatabase } from '../ledger/index.ts'

/** Migrates the ledger's schema; a dry run only lists what it would apply. */
export async function migrateLedger(
  config: Config,
  { dryRun }: { readonly dryRun: boolean },
  signal: AbortSignal,
) {
  const base = createBase(config)
  const database = await openLedgerDatabase(base, signal)
  try {
    return await migrateSchema(base, database, { dryRun, signal })
  } finally {
    await database.stop()
  }
}
