import type { RemedyStore } from '../../ports/remedy-store.ts'
import type { Base } from '../base.ts'
import { openRemedyFiles } from './files.ts'

export { sha256 } from './sha256.ts'

/** The place of plans and trail: the ledger where a database is set, else the data folder. */
export async function openRemedyStore(base: Base, signal: AbortSignal): Promise<RemedyStore> {
  if (base.config.databaseUrl === undefined) return openRemedyFiles(base)
  const { openRemedyLedger } = await import('./ledger.ts')
  return openRemedyLedger(base, signal)
}
