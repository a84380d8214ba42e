import type { JobEvent } from '../../../../domain/job-event/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import { isSameCause } from '../cause.ts'

/** A job event that is to be applied, its cause, and the delivery that is settled with it. */
export interface PendingEvent {
  readonly event: JobEvent
  readonly cause: Cause
  readonly settles: string | null
}

/** Whether two events must not be in one transaction: they name one job or one runner, or differ in their cause. */
export function conflict(a: PendingEvent, b: PendingEvent): boolean {
  // The timeline names one cause for all that a transaction changes.
  return isSameJob(a, b) || isSameRunner(a, b) || !isSameCause(a.cause, b.cause)
}

function isSameJob({ event: { job: a } }: PendingEvent, { event: { job: b } }: PendingEvent): boolean {
  return a.forgeJobId === b.forgeJobId && a.installation === b.installation
}

function isSameRunner({ event: a }: PendingEvent, { event: b }: PendingEvent): boolean {
  return a.runnerName !== null && a.runnerName === b.runnerName
}
