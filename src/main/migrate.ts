import type { Config } from '../platform/config/index.ts'
import { createBase } from './base.ts'
import { prepareLedger } from './prepare-ledger.ts'
import { openStore } from './store.ts'

/** Brings the ledger's schema up to date, or says what would be done. */
export async function migrateLedger(
  config: Config,
  { dryRun }: { readonly dryRun: boolean },
  signal: AbortSignal,
) {
  const base = createBase(config)
  const store = await openStore(base, signal)
  try {
    return await prepareLedger(base, store, { dryRun, signal })
  } finally {
    await store.stop()
  }
}
