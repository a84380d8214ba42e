import { type Incident, incidentTable } from '../../domain/incident/index.ts'
import type { ApiIncident } from '../contracts/incident.ts'
import { safeText } from './safe.ts'
import { iso, isoOrNull } from './time.ts'

/** An incident of the ledger in the terms of the API, with what it means and what to do. */
export function incidentView(incident: Incident): ApiIncident {
  const { title, todo } = incidentTable[incident.kind]
  return {
    id: incident.id,
    kind: incident.kind,
    title,
    todo,
    installation: incident.installation,
    scope: incident.scope,
    key: incident.key,
    reason: safeText(incident.reason),
    openedAt: iso(incident.openedAt),
    lastSeenAt: iso(incident.lastSeenAt),
    timesSeen: incident.timesSeen,
    closedAt: isoOrNull(incident.closedAt),
  }
}
