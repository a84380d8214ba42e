import type { Attempt } from '../attempt/index.ts'
import type { Job } from '../job/index.ts'
import type { JobEvent } from '../job-event/index.ts'
import type { Runner } from '../runner/index.ts'
import type { Instant } from '../time.ts'

/** Something that was read outside the ledger, when, and from whom; or the reason why it could not be read. */
export type Fact<T> =
  | { readonly known: true; readonly value: T; readonly readAt: Instant; readonly source: string }
  | { readonly known: false; readonly why: string }

export type HostedStatus =
  | HostedRunning
  | { readonly kind: 'exited' }
  /** The host itself said, when it was asked, that it has nothing of this name. */
  | { readonly kind: 'absent' }

/** As far as the host can see: whether it lives is unknown while its place is silent. */
export interface HostedRunning {
  readonly kind: 'running'
  /** Whether the program that runs the job has started; `unknown` where asking for a job and running it is one. */
  readonly program: 'waiting' | 'started' | 'unknown'
  readonly node: string | null
  readonly leavingSince: Instant | null
  readonly silentSince: Instant | null
}

export type ForgeJobStatus =
  /** The forge said, when it was asked, that it does not know the job. */
  | { readonly kind: 'gone' }
  /** There is no job to ask about: the ledger says that the runner was never given one. */
  | { readonly kind: 'none' }
  | { readonly kind: 'known'; readonly word: JobEvent }

export type ForgeRunnerStatus =
  /** The forge said so, or cannot know it because it was never minted for. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly id: number; readonly online: boolean; readonly busy: boolean }

/** The subject of a decision: an open attempt, an open job without one, or a live runner. */
export type Subject =
  | {
      readonly kind: 'attempt'
      readonly attempt: Attempt
      readonly job: Job
      readonly runner: Runner
      /** Its job is of a forge installation that is not served: what the forge says of it cannot be known. */
      readonly isForeign?: boolean
    }
  | { readonly kind: 'job'; readonly job: Job }
  /**
   * `last` is the newest attempt that the runner had: it has the name under which the forge may know it. Null proves
   * nothing by itself: whether it ever had one is `runner.everClaimed`.
   */
  | {
      readonly kind: 'runner'
      readonly runner: Runner
      readonly hasOpenAttempt: boolean
      readonly last: { readonly attempt: Attempt; readonly job: Job } | null
      /** The last heartbeat of its host, where the host counts as lost. */
      readonly hostLostSince?: Instant
      /** Since when its host sends heartbeats without a pause: earlier events may have been missed. Absent: not known. */
      readonly watchedSince?: Instant
      /** How long a job may run on it, where its pool says so. */
      readonly maxJobMs?: number
    }

export interface Facts {
  readonly hosted: Fact<HostedStatus>
  readonly forgeJob: Fact<ForgeJobStatus>
  readonly forgeRunner: Fact<ForgeRunnerStatus>
}
export type FactName = keyof Facts

/** One subject as the ledger, the host and the forge each see it. */
export interface View {
  readonly subject: Subject
  readonly facts: Facts
}

export const unread: Facts = {
  hosted: { known: false, why: 'not read yet' },
  forgeJob: { known: false, why: 'not read yet' },
  forgeRunner: { known: false, why: 'not read yet' },
}
