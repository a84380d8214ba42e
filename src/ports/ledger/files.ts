import type { Attempt } from '../../domain/attempt/index.ts'
import type { Job } from '../../domain/job/index.ts'
import type { Evidence } from '../../domain/job-event/index.ts'
import type { Runner } from '../../domain/runner/index.ts'
import type { Instant } from '../../domain/time.ts'

export interface TimelineRow {
  readonly id: number
  readonly at: Instant
  readonly subject: 'job' | 'attempt' | 'runner'
  readonly subjectId: number
  readonly jobId: number | null
  readonly kind: string
  readonly source: string
  readonly rule: string | null
  readonly facts: Readonly<Record<string, unknown>>
}

export interface DecisionRow {
  readonly id: number
  readonly at: Instant
  readonly rule: string
  readonly jobId: number | null
  readonly attemptId: number | null
  readonly runnerId: number | null
  readonly facts: Readonly<Record<string, unknown>>
  readonly actions: readonly Readonly<Record<string, unknown>>[]
  readonly outcome: string | null
}

export interface EvidenceRow {
  readonly id: number
  readonly kind: Evidence['kind']
  readonly runnerId: number | null
  readonly sealedAt: Instant
  readonly record: Readonly<Record<string, unknown>>
}

/** All that is known about one job. */
export interface JobFile {
  readonly job: Job
  readonly attempts: readonly Attempt[]
  readonly timeline: readonly TimelineRow[]
  readonly decisions: readonly DecisionRow[]
  readonly evidence: readonly EvidenceRow[]
  readonly archived: boolean
}

/** All that is known about one runner. */
export interface RunnerFile {
  readonly runner: Runner
  /** Its attempts that are not archived with their jobs, oldest first, at most `runnerAttemptsMax` of the newest. */
  readonly attempts: readonly RunnerAttempt[]
  /** Rows about the runner itself and about these attempts; those about their jobs stand in the jobs' files. */
  readonly timeline: readonly TimelineRow[]
  /** Decisions about the runner or about one of these attempts. */
  readonly decisions: readonly DecisionRow[]
  /** Its death, and what ended these attempts. */
  readonly evidence: readonly EvidenceRow[]
}

/** An attempt with its job as it is now. */
export interface RunnerAttempt {
  readonly attempt: Attempt
  readonly job: Job
}

/** A runner is given one job; more attempts are those that came to nothing before. */
export const runnerAttemptsMax = 50
