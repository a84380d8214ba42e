import type { Cause } from './cause.ts'

/** Forge installations that the ledger has rows of, and the retirement of one that is not served any more. */
export interface InstallationLedger {
  /** Every installation that ever had a job or a webhook here, by name. */
  installations(): Promise<readonly InstallationRow[]>
  /** Open jobs of an installation, the oldest first, at most so many. */
  openJobIds(installation: string, limit: number): Promise<readonly number[]>
  /**
   * A person closes a job of an installation that is not served any more, and with it its open attempt, of which that
   * word is the evidence. `refused`: it is not open.
   */
  retireJob(jobId: number, cause: Cause): Promise<'retired' | 'refused'>
  /** Closes the rest of an installation: its webhooks are settled as ignored, its incidents are over. */
  retireRest(installation: string): Promise<{ readonly deliveries: number; readonly incidents: number }>
}

/** A forge installation that the ledger has rows of, and what of them is not over. */
export interface InstallationRow {
  readonly name: string
  readonly openJobs: number
  readonly openAttempts: number
  /** Live runners that hold one of these attempts. */
  readonly liveRunners: number
  readonly pendingDeliveries: number
  readonly openIncidents: number
}
