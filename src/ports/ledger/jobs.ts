import type { Cause } from './cause.ts'

/** Changes to one job by recovery or an operator. */
export interface JobLedger {
  /** Closes an open job without an open attempt that the forge does not know any more. */
  closeJob(jobId: number, conclusion: string, cause: Cause): Promise<'closed' | 'refused'>
  /** Puts back a job that runs here without an attempt of ours, although the forge has it queued. */
  requeueJob(jobId: number, cause: Cause): Promise<'requeued' | 'refused'>
  /** Lifts a quarantine. */
  release(jobId: number, cause: Cause): Promise<'released' | 'refused'>
}
