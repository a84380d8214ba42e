import type { Instant } from '../../../src/ports/clock.ts'

/** How long the forge waits for what. */
export interface ForgeDelays {
  /** An unused runner configuration can be connected with for this long. */
  readonly jitExpiresAfterMs: number
  /** A runner that was silent this long is shown as offline. */
  readonly offlineAfterMs: number
  /** A job whose runner was silent this long is given up. */
  readonly lostAfterMs: number
  /** An offline runner without a job is removed after this. */
  readonly offlineRemovedAfterMs: number
  /** A job that no runner took for so long is ended. */
  readonly queuedForMs: number
  /** A job that somebody cancels is under way until its runner reports, or for so long. */
  readonly cancelForcedAfterMs: number
  /** The interval at which a runner renews the lock of its job. */
  readonly renewEveryMs: number
  /** How long a runner's question for a job is held open. */
  readonly pollHoldMs: number
}

/** As far as GitHub's own are known. */
export const githubDelays: ForgeDelays = {
  jitExpiresAfterMs: 5 * 60_000,
  offlineAfterMs: 2 * 60_000,
  lostAfterMs: 10 * 60_000,
  offlineRemovedAfterMs: 24 * 60 * 60_000,
  queuedForMs: 24 * 60 * 60_000,
  cancelForcedAfterMs: 5 * 60_000,
  renewEveryMs: 60_000,
  pollHoldMs: 50_000,
}

/** A job as its workflow asks for it. */
export interface NewJob {
  readonly name: string
  /** None: it is for no runner of ours. */
  readonly labels: readonly string[]
  /** The script that its runner passes to a shell. */
  readonly script: string
  /** It waits until somebody approves what goes to this environment. */
  readonly environment?: string | undefined
  /** The forge's own runners run it, and need so long to begin and as long again to end. */
  readonly elsewhereMs?: number | undefined
  /** By which others need it; its name where there is none. */
  readonly key?: string | undefined
  /** Keys of jobs that stand before it. */
  readonly needs?: readonly string[] | undefined
  /** After what it runs; else it is skipped. */
  readonly when?: 'success' | 'failure' | 'always' | undefined
  /** One job for each combination; `${{ matrix.name }}` stands for a value in labels and script. */
  readonly matrix?: Readonly<Record<string, readonly string[]>> | undefined
  /** Whether one failure cancels the rest of the matrix; true where nothing is said. */
  readonly failFast?: boolean | undefined
}

export interface NewRun {
  /** `owner/name`; made where it does not exist. */
  readonly repository: string
  readonly workflow: string
  readonly jobs: readonly NewJob[]
  /** The trigger of the run, its branch and its actor; by default a user on the main branch. */
  readonly event?: string | undefined
  readonly branch?: string | undefined
  readonly actor?: string | undefined
  /** The fork, `owner/name`, that has its commits; the repository itself where nothing is said. */
  readonly fork?: string | undefined
  /** Of one group, one run is under way at a time. */
  readonly concurrency?: { readonly group: string; readonly cancelInProgress: boolean } | undefined
}

export interface Submitted {
  readonly runId: number
  /** The jobs that exist at once; those that need others come later. */
  readonly jobIds: readonly number[]
}

/** A job that a run has, or will have once what it needs is over. */
export interface PlannedJob {
  readonly key: string
  readonly name: string
  readonly labels: readonly string[]
  readonly script: string
  readonly needs: readonly string[]
  readonly when: 'success' | 'failure' | 'always'
  readonly isFailFast: boolean
  readonly environment?: string | undefined
  readonly elsewhereMs?: number | undefined
}

/** The actions of a run's messages. */
export type RunAction = 'requested' | 'in_progress' | 'completed'

export interface Run {
  readonly id: number
  readonly repository: string
  readonly name: string
  readonly attempt: number
  /** `pending`: it waits for its turn in its group. `cancelled`: it never had it. */
  readonly state: 'pending' | 'open' | 'cancelled'
  readonly plan: readonly PlannedJob[]
  /** Places of the plan that have no job yet in this attempt. */
  readonly waiting: readonly number[]
  readonly group: string | null
  readonly event?: string | undefined
  readonly branch?: string | undefined
  readonly actor?: string | undefined
  readonly fork?: string | undefined
  /** When each attempt after the first began. */
  readonly begunAgainAt?: readonly Instant[] | undefined
  /** The action and attempt of its last message. */
  readonly announced?: `${RunAction} ${number}` | undefined
  /** Somebody deleted it: the API knows neither it nor its jobs any more. */
  readonly deletedAt?: Instant | undefined
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** `waiting`: for somebody who approves it. */
export type JobStatus = 'waiting' | 'queued' | 'in_progress' | 'completed'

export type Conclusion = 'success' | 'failure' | 'cancelled' | 'skipped'

/** One runner's work on a job, as it really was. */
export interface Start {
  readonly at: Instant
  readonly runnerId: number
  readonly runnerName: string
  readonly session: string
  /** The last time that this runner showed that it works on the job, also after the forge gave it up. */
  readonly lastSignAt: Instant
}

export type EndCause =
  | 'reported'
  | 'lost-communication'
  | 'cancelled'
  | 'skipped'
  | 'rejected'
  | 'queued-too-long'

export interface End {
  readonly at: Instant
  readonly conclusion: Conclusion
  readonly cause: EndCause
}

export interface Job {
  readonly id: number
  readonly runId: number
  readonly runAttempt: number
  /** Where it stands in the plan of its run. */
  readonly place: number
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
  readonly script: string
  readonly status: JobStatus
  readonly conclusion: Conclusion | null
  readonly runnerId: number | null
  readonly runnerName: string | null
  /** Of the runner that has it; group 1 where nothing is said. */
  readonly runnerGroup?: { readonly number: number; readonly name: string } | undefined
  readonly createdAt: Instant
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
  readonly environment?: string | undefined
  /** It ran in an earlier attempt, and stands here for what it was then. */
  readonly isCarried?: true | undefined
  /** Since when a runner may take it, where that was not so at once. */
  readonly queuedAt?: Instant | undefined
  /** Since when somebody wants it to end. */
  readonly cancelledAt?: Instant | undefined
  /** When the forge goes on with it by itself. */
  readonly dueAt?: Instant | undefined
  /** The forge gave its runner up: its last step has no end. */
  readonly isLost?: true | undefined
  readonly annotations: readonly string[]
  readonly starts: readonly Start[]
  readonly ends: readonly End[]
}

/** An environment that waits for somebody, and the jobs of a run that wait with it. */
export interface Pending {
  readonly id: number
  readonly name: string
  readonly jobs: readonly Job[]
}

/** `minted`: its configuration was never used. `gone`: kept for the truth, unknown to the API. */
type RunnerState = 'minted' | 'online' | 'offline' | 'gone'

export interface Connect {
  readonly at: Instant
  /** Which program used the configuration. */
  readonly owner: string
  readonly accepted: boolean
}

export interface Runner {
  readonly id: number
  /** Its scope: `owner/name`, `owner/*` for an organisation, `enterprise:slug` for an enterprise. */
  readonly repository: string
  /** The number of its group; 1 where nothing is said. */
  readonly group?: number | undefined
  readonly name: string
  readonly labels: readonly string[]
  readonly state: RunnerState
  /** The single-use secret. */
  readonly jit: string
  readonly session: string | null
  readonly owner: string | null
  /** The job that it works on; a runner with one is busy. */
  readonly jobId: number | null
  readonly mintedAt: Instant
  readonly seenAt: Instant
  readonly goneAt: Instant | null
  readonly goneBecause: string | null
  readonly connects: readonly Connect[]
}
