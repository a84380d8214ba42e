import type { Instant } from '../time.ts'
import type { Listing } from './reading.ts'

export interface ForgeRunnerFact {
  /** The organisation (`acme`) or repository (`acme/web`) whose list has it; null: the list is of several, or does not say it. */
  readonly scope: string | null
  readonly id: number
  readonly name: string
  readonly isOnline: boolean
  readonly isBusy: boolean
  readonly labels: readonly string[]
  /** Null where the list does not say it. */
  readonly version: string | null
}

export interface StepFact {
  readonly number: number
  readonly name: string
  readonly status: string
  readonly conclusion: string | null
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
}

export interface AnnotationFact {
  readonly level: string
  readonly title: string | null
  readonly message: string
}

export interface ForgeJobFact {
  readonly repository: string
  readonly runId: number
  readonly runAttempt: number | null
  readonly jobId: number
  readonly name: string
  readonly workflow: string | null
  readonly status: string
  readonly conclusion: string | null
  readonly labels: readonly string[]
  readonly runnerName: string | null
  readonly runnerId: number | null
  readonly headSha: string | null
  readonly queuedAt: Instant | null
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
  /** Null where the forge has none, or was not asked. */
  readonly steps: readonly StepFact[] | null
  readonly annotations: readonly AnnotationFact[] | null
  readonly url: string | null
}

/** The newest lines of a job's own log, masked. Written by the job: never proof. */
export interface JobLogFact {
  readonly repository: string
  readonly jobId: number
  readonly lines: readonly string[]
  readonly isCut: boolean
}

export type CredentialKind = 'app' | 'personal-token' | 'unknown'

/** The calls that one credential has left at the forge. */
export type CredentialBudgetFact = LimitedBudgetFact | UnlimitedBudgetFact

interface BudgetReading {
  /** `namespace/name` of its Secret, or `settings` for Holdfast's own. */
  readonly credential: string
  readonly kind: CredentialKind
  readonly at: Instant
}

export interface LimitedBudgetFact extends BudgetReading {
  readonly limit: number
  readonly remaining: number
  readonly resetAt: Instant
}

/** The forge sets no limit: its calls cannot run out. */
interface UnlimitedBudgetFact extends BudgetReading {
  readonly limit: null
  readonly remaining: null
  readonly resetAt: null
}

/** The facts of the forge. */
export interface ForgeFacts {
  readonly runners: Listing<ForgeRunnerFact>
  readonly jobs: Listing<ForgeJobFact>
  readonly logs: Listing<JobLogFact>
  readonly budgets: Listing<CredentialBudgetFact>
}
