import type { IncidentKind } from '../domain/incident/index.ts'
import type { JobOrigin } from '../domain/job/index.ts'
import type { JobEvent } from '../domain/job-event/index.ts'
import type { RunHead } from '../domain/run-attempt/index.ts'
import type { ForgeJobFact } from '../domain/snapshot/index.ts'
import type { Instant } from '../domain/time.ts'

/** Where a runner is registered: the repository that owns the job, in an installation. */
export interface ForgeScope {
  readonly installation: string
  readonly repository: string
}

export interface MintRequest {
  readonly scope: ForgeScope
  /** Never used before, at most 64 characters. */
  readonly name: string
  readonly labels: readonly string[]
  /** By its name; the one of the settings where nothing is said. Refused where runners are in no groups. */
  readonly runnerGroup?: string | undefined
}

export interface Minted {
  readonly kind: 'minted'
  readonly forgeRunnerId: number
  /** The single-use configuration: a secret. */
  readonly jit: string
}

/** The forge said no. Whom the refusal concerns decides who waits: one job, its repository or the whole account. */
export interface MintRefused {
  readonly kind: 'refused'
  readonly concerns: 'job' | 'repository' | 'account'
  /** For people, without secrets. */
  readonly reason: string
  readonly retryAfterMs: number | null
  /** The problem that only a person can resolve: the jobs wait without blame, and are tried again slowly. */
  readonly incident: IncidentKind | null
}

export interface ForgeRunner {
  readonly id: number
  readonly name: string
  readonly online: boolean
  readonly busy: boolean
}

export interface JobsAsked {
  readonly installation: string
  /** Of runs that are over, only those that began since are listed. */
  readonly since: Instant
  /** Runs of which nothing can be new once they are over: every job known here has ended, and no message was missed. */
  readonly settledRuns: ReadonlySet<number>
  /** Repositories, in small letters, that could not be read lately: since when, and none of their runs is settled. */
  readonly heldBack?: ReadonlyMap<string, Instant>
}

/** The jobs that the forge listed, and the repositories that it listed. */
export interface ListedJobs {
  readonly events: readonly JobEvent[]
  /** Repositories that were read whole, where the forge is read by repository. */
  readonly read: readonly string[]
  /** Repositories, or whole owners, that a person has closed to us: nothing is known of them. */
  readonly notCovered: readonly string[]
  /** Runs that somebody deleted while we read: they were listed, and their jobs were gone. */
  readonly runsGone: number
  /** Parts of the lists that were not as documented, or counted and never shown: passed over, and said in the log. */
  readonly skipped?: number
}

/** A repository with jobs that wait, and the groups of the runners that they wait for; null: that of the settings. */
export interface Reached {
  readonly repository: string
  readonly runnerGroups: readonly (string | null)[]
}

/** A repository to whose jobs no runner of ours can be given, and why. */
export interface Unreachable {
  readonly repository: string
  /** Runners of another of its groups reach it all the same. */
  readonly isInPart?: true
  readonly incident: IncidentKind
  /** For people, without secrets. */
  readonly reason: string
}

/** The outcome of an order to the forge. `unsupported`: this forge has no such thing. */
export type OrderAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unsupported'; readonly reason: string }

/**
 * A forge in the terms of runners and jobs. Every call may hang or fail: then it throws
 * `E_FORGE_UNAVAILABLE`, and whether it took effect is unknown.
 */
export interface Forge {
  /**
   * Mints a single-use runner configuration under a name never used before. A lost answer may have
   * succeeded: the caller finds it by name with `findRunner` and removes it.
   */
  mint(request: MintRequest, signal: AbortSignal): Promise<Minted | MintRefused>
  findRunner(scope: ForgeScope, name: string, signal: AbortSignal): Promise<ForgeRunner | null>
  /** A busy runner is never removed. Afterwards the forge gives this runner no job. */
  removeRunner(
    scope: ForgeScope,
    forgeRunnerId: number,
    signal: AbortSignal,
  ): Promise<'removed' | 'absent' | 'busy'>
  /** The forge's current report of a job; null means that it does not know the job. */
  readJob(scope: ForgeScope, forgeJobId: number, signal: AbortSignal): Promise<JobEvent | null>
  /**
   * The same with what explains its end: commit, steps and annotations, as far as the forge has and shows them. Costs up
   * to three calls, so it is for questions of people and never for loops. Null: the forge does not know the job.
   */
  readJobDetail(scope: ForgeScope, forgeJobId: number, signal: AbortSignal): Promise<ForgeJobFact | null>
  /**
   * The jobs of every attempt of a run, as far as the forge keeps them: steps and commit, no annotations. It costs a call
   * for some hundred jobs, or one for each attempt, so it is for questions of people. Empty: the forge does not know the run.
   */
  readRunJobs(scope: ForgeScope, runId: number, signal: AbortSignal): Promise<readonly ForgeJobFact[]>
  /** The origin of a run: who may have written its jobs' code; null: the forge does not know the run. */
  readOrigin(scope: ForgeScope, runId: number, signal: AbortSignal): Promise<JobOrigin | null>
  /** The commit and branch of a run, and whether a later run on that branch is of another commit; null: the forge does not know the run. */
  readRunHead(scope: ForgeScope, runId: number, signal: AbortSignal): Promise<RunHead | null>
  /**
   * Every job that the forge has queued or in progress, and those of runs since `since` that are over. Throws if
   * any part could not be read; only what a person has closed to us is passed over and named, because one such
   * repository would else stop every audit. What is not listed is therefore not known, never gone.
   */
  listJobs(asked: JobsAsked, signal: AbortSignal): Promise<ListedJobs>
  /** The repositories among these whose jobs cannot reach a runner of ours, whatever we start. */
  unreachable(
    installation: string,
    repositories: readonly Reached[],
    signal: AbortSignal,
  ): Promise<readonly Unreachable[]>

  rerunJob(scope: ForgeScope, forgeJobId: number, signal: AbortSignal): Promise<OrderAnswer>
  rerunFailedJobs(scope: ForgeScope, runId: number, signal: AbortSignal): Promise<OrderAnswer>
  cancelRun(scope: ForgeScope, runId: number, signal: AbortSignal): Promise<OrderAnswer>
  /** The job's own log as the forge keeps it, its newest part where it is long; null: the forge has none. */
  readLog(scope: ForgeScope, forgeJobId: number, signal: AbortSignal): Promise<string | null>
  /** Reads what is left of the forge's limit into the budget, which costs no call. A forge without a limit is not asked. */
  readLimit(signal: AbortSignal): Promise<void>
}
