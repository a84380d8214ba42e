import type { JobEvent } from '../../domain/job-event/index.ts'
import type { Cause } from './cause.ts'
import type { DeliveryOutcome } from './deliveries.ts'

/** Applies job events. */
export interface JobEventLedger {
  /**
   * Applies a job event, in whatever order events arrive. The delivery that brought it is settled in the same
   * transaction (`settles`, its GUID): as `ignored` where the job is foreign, else as `done`.
   */
  applyJobEvent(event: JobEvent, cause: Cause, settles?: string): Promise<ApplyResult>
}

export type ApplyResult =
  /** A job that was not known before. */
  | { readonly kind: 'new'; readonly jobId: number; readonly isLost?: true }
  /** `isLost`: by this very event. */
  | { readonly kind: 'changed'; readonly jobId: number; readonly isLost?: true }
  /** Late or repeated: nothing changed. */
  | { readonly kind: 'nothing'; readonly jobId: number }
  /** Not for us: no pool serves its labels, and they do not ask for a self-hosted runner. */
  | { readonly kind: 'foreign' }

/** How the delivery that brought a job event is settled. */
export function outcomeOf(result: ApplyResult): DeliveryOutcome & { readonly kind: 'done' | 'ignored' } {
  if (result.kind !== 'foreign') return { kind: 'done', note: result.kind }
  return { kind: 'ignored', note: 'no pool of ours serves its labels' }
}
