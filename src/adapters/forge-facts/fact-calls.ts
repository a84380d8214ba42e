import type {
  CredentialBudgetFact,
  ForgeJobFact,
  ForgeRunnerFact,
  JobLogFact,
} from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { JobRef } from '../../ports/forge-facts.ts'

/** The place of an administrator's lists: the whole instance at once. */
export const wholeInstance = '*'

/** A place that the forge refuses, with its answer. */
export interface Refused {
  readonly place: string
  readonly why: string
}

/** The places that a credential covers, and those of which it is known that they are missing. */
export interface Places {
  readonly places: readonly string[]
  readonly refused: readonly Refused[]
}

export interface Coverage {
  readonly repositories: Places
  /** Where runners may be registered. */
  readonly runnerScopes: Places
}

export interface JobsRead {
  readonly jobs: readonly ForgeJobFact[]
  readonly refused: readonly Refused[]
}

/** The answers of a forge as facts, each of one part; a part that has no answer throws E_FORGE_UNAVAILABLE. */
export interface FactCalls {
  budgets(): Promise<readonly CredentialBudgetFact[]>
  job(ref: JobRef): Promise<ForgeJobFact | null>
  /** Masked; null: the job has none. */
  log(ref: JobRef): Promise<JobLogFact | null>
  /** In every attempt of the run. */
  jobsOfRun(repository: string, runId: number): Promise<readonly ForgeJobFact[]>
  runners(scope: string): Promise<readonly ForgeRunnerFact[]>
  /** The open jobs of a repository, and those of runs since. */
  jobs(repository: string, since: Instant): Promise<JobsRead>
  coverage(): Promise<Coverage>
}
