import type { NewIncident } from '../../../../ports/ledger.ts'
import type { LedgerContext } from '../context.ts'
import { ensureInstallation } from '../pool/installation.ts'
import { openIncident } from './open.ts'

/** Opens an incident, once as long as it lasts. */
export async function raiseIncident(
  { database, installations }: LedgerContext,
  incident: NewIncident,
  holdMs: number,
): Promise<'opened' | 'known'> {
  await ensureInstallation(database, incident.installation, installations)
  return database.transaction((tx) => openIncident(tx, incident, holdMs))
}
