import type { Verdict } from '../death/index.ts'

/** Why a job failed or was cancelled. Names that the death classes have too mean the same for the job. */
export const jobFailureClasses = [
  'lost-runner',
  'timed-out',
  'cancelled',
  'disk-full',
  'host-file-table',
  'process-file-table',
  'confirmed-cgroup-oom',
  'killed-outside-cgroup',
  'transient-runner-memory-evidence',
  'evidence-incomplete',
  'guest-oom',
  'build-ca-missing',
  'runtime-trust-store-broken',
  'set-up-failed',
  'checkout-failed',
  'own-step',
  'unknown',
] as const
export type JobFailureClass = (typeof jobFailureClasses)[number]

export interface JobVerdict extends Omit<Verdict, 'class'> {
  readonly class: JobFailureClass
  /** The step that failed; null where none is known. */
  readonly step: string | null
}

/** The result of one rule. */
export interface JobFinding {
  readonly class: JobFailureClass
  readonly confidence: Verdict['confidence']
  readonly because: readonly string[]
  readonly unknown?: readonly string[]
}

export function likely(failure: JobFailureClass, ...because: readonly string[]): JobFinding {
  return { class: failure, confidence: 'likely', because }
}
