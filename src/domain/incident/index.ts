export { type Incident, type IncidentScope, incidentScopes } from './incident.ts'
export {
  deathIncidents,
  type IncidentEntry,
  type IncidentKind,
  incidentKinds,
  incidentTable,
  poolIncidents,
} from './table.ts'
