import type { Incident } from '../../domain/incident/index.ts'

/** Incidents, and the jobs that an open one holds back. */
export interface IncidentLedger {
  /**
   * Opens an incident, once as long as it lasts, and holds back the jobs that it concerns. Those of an installation
   * and of runners hold nothing back.
   */
  raiseIncident(incident: NewIncident, holdMs: number): Promise<'opened' | 'known'>
  /** It is over: its jobs go on at once. */
  liftIncident(incident: Omit<NewIncident, 'reason'>): Promise<'lifted' | 'none'>
  /** Open incidents, and the latest closed ones up to `closedLimit`; the newest first. */
  incidents(closedLimit: number): Promise<readonly Incident[]>
}

export type NewIncident = Pick<Incident, 'kind' | 'installation' | 'scope' | 'key' | 'reason'>
