import type { IncidentLedger } from '../../../src/ports/ledger.ts'

/** A person has looked at what the reaper left unproven: it may act again. */
export async function liftEscalated(ledger: IncidentLedger): Promise<void> {
  for (const incident of await ledger.incidents(0))
    if (incident.kind === 'remedy-escalated' && incident.closedAt === null)
      await ledger.liftIncident(incident)
}
