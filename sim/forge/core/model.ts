import type { Instant } from '../../../src/ports/clock.ts'

export type { Instant }

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
  /** How often a runner is told to renew the lock of its job. */
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
  renewEveryMs: 60_000,
  pollHoldMs: 50_000,
}

export interface Repository {
  readonly id: number
  /** `owner/name`. */
  readonly fullName: string
}

export interface Run {
  readonly id: number
  readonly repository: string
  readonly name: string
  readonly attempt: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

export type JobStatus = 'queued' | 'in_progress' | 'completed'

export type Conclusion = 'success' | 'failure' | 'cancelled'

/** One runner's work on a job, as it really was. */
export interface Start {
  readonly at: Instant
  readonly runnerId: number
  readonly runnerName: string
  readonly session: string
  /** The last time that this runner showed that it works on the job, also after the forge gave it up. */
  readonly lastSignAt: Instant
}

export type EndCause = 'reported' | 'lost-communication' | 'cancelled'

export interface End {
  readonly at: Instant
  readonly conclusion: Conclusion
  readonly cause: EndCause
}

export interface Job {
  readonly id: number
  readonly runId: number
  readonly runAttempt: number
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
  readonly script: string
  readonly status: JobStatus
  readonly conclusion: Conclusion | null
  readonly runnerId: number | null
  readonly runnerName: string | null
  readonly createdAt: Instant
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
  readonly annotations: readonly string[]
  readonly starts: readonly Start[]
  readonly ends: readonly End[]
}

/** `minted`: its configuration was never used. `gone`: kept for the truth, unknown to the API. */
export type RunnerState = 'minted' | 'online' | 'offline' | 'gone'

export interface Connect {
  readonly at: Instant
  /** Which program used the configuration. */
  readonly owner: string
  readonly accepted: boolean
}

export interface Runner {
  readonly id: number
  readonly repository: string
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

/** What messages tell of a job. */
export type JobFacts = Omit<Job, 'script' | 'annotations' | 'starts' | 'ends'>

interface AnyMessage {
  readonly id: number
  /** Stays the same when the message is sent again. */
  readonly guid: string
  readonly isRedelivery: boolean
}

/** A message as it is kept: what it tells of, as that was when the message arose. */
export interface JobMessage extends AnyMessage {
  readonly event: 'workflow_job'
  readonly job: JobFacts
  readonly run: Run
}

/** A message that only tries whether somebody listens. */
export interface PingMessage extends AnyMessage {
  readonly event: 'ping'
  readonly url: string
  readonly repository: string | null
}

export type Message = JobMessage | PingMessage

/** A message in the form in which it is sent. */
export interface Webhook {
  readonly guid: string
  readonly event: Message['event']
  readonly payload: Readonly<Record<string, unknown>>
  readonly message: Message
  readonly repository: Repository | null
}

/** One time that a message was sent. */
export interface Delivery {
  readonly id: number
  readonly message: Message
  readonly deliveredAt: Instant
  readonly durationMs: number
  /** The status of the answer; null: none came. */
  readonly statusCode: number | null
  readonly why: string | null
}
