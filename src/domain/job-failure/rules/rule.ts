import type { KnownFailure } from '../known.ts'
import type { JobFailureClass, JobFinding } from '../verdict.ts'

/** A row of the table for failed jobs; docs/reference/job-failures.md is generated from it. */
export interface JobFailureRule {
  readonly name: string
  /** Every class that the rule may give. */
  readonly gives: readonly JobFailureClass[]
  readonly means: string
  readonly needs: string
  readonly mustNotConclude: string
  readonly nextSteps: readonly string[]
  readonly fires: (known: KnownFailure) => JobFinding | null
}
