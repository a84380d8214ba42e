import { migrate } from '../../adapters/postgres/migrations/index.ts'
import { createRemedyLedger } from '../../adapters/postgres/remedy/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { RemedyStore } from '../../ports/remedy-store.ts'
import type { Base } from '../base.ts'
import { openLedgerDatabase } from '../ledger/index.ts'
import { sha256 } from './sha256.ts'

/** Plans and trail in the ledger. A command migrates nothing: older servers may run on it. */
export async function openRemedyLedger(base: Base, signal: AbortSignal): Promise<RemedyStore> {
  const { log, clock } = base
  const { pool: database, url, tls, stop } = await openLedgerDatabase(base, signal)
  try {
    const { pending } = await migrate(database, { dryRun: true, log })
    const [file] = pending
    if (file !== undefined) throw new HoldfastError('E_LEDGER_OLDER', { file })
    const store = createRemedyLedger({ database, url, tls, digest: sha256, log, clock })
    return { ...store, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}
