import type { AttemptState, PastDeadline } from '../attempt/index.ts'
import type { Instant } from '../time.ts'
import type { Ending } from './ending.ts'
import type { HostRing } from './host-ring.ts'

export const deathClasses = [
  'clean',
  'completion-handshake',
  'forge-gave-up',
  'runner-deregistered',
  'session-conflict',
  'runner-outdated',
  'container-oom',
  'guest-oom',
  'node-oom',
  'evicted',
  'evicted-memory',
  'evicted-disk',
  'evicted-ephemeral-storage',
  'evicted-inodes',
  'evicted-pid',
  'preempted',
  'node-drained',
  'node-lost',
  'host-lost',
  'deadline-exceeded',
  'job-deadline',
  'terminated',
  'deleted',
  'sigkill-unknown',
  'crash',
  'probe-failed',
  'hook-failed',
  'pids-limit',
  'host-file-table',
  'process-file-table',
  'disk-full',
  'starved',
  'network-discontinuity',
  'failed',
  'image-pull',
  'config-error',
  'sandbox-failed',
  'never-started',
  'vanished',
  'unknown',
] as const
export type DeathClass = (typeof deathClasses)[number]

/** What the ledger and the forge knew about the runner's newest job when the record was made. */
export interface JobAtEnd {
  readonly jobId: number
  readonly forgeJobId: number
  readonly repository: string
  readonly attemptId: number
  readonly attemptState: AttemptState
  readonly startedAt: Instant | null
  /** The forge's last word; null where it was never heard of. */
  readonly forgeStatus: string | null
  readonly conclusion: string | null
  /** When it ended, by the forge's own clock; absent where the forge or an older record does not say. */
  readonly forgeCompletedAt?: Instant
  readonly heardAt: Instant | null
  /** It had run for longer than its pool lets a job run, and was ended for that; absent where it had not. */
  readonly pastDeadline?: PastDeadline
}

/** All from which an end is judged. What comes later (the forge's word, a host ring) is judged anew by who reads. */
export interface DeathFacts {
  /** Null: nothing of it was left before anything could be read. */
  readonly ending: Ending | null
  readonly job: JobAtEnd | null
  readonly ring: HostRing | null
}

export interface Verdict {
  readonly class: DeathClass
  /** The rule that gave the class; see docs/reference/deaths.md. */
  readonly rule: string
  /** `proven` by who cannot lie about it, `likely` by what fits, `unknown` where nothing says. */
  readonly confidence: 'proven' | 'likely' | 'unknown'
  readonly because: readonly string[]
  /** What it was not, and how that is known. */
  readonly ruledOut: readonly string[]
  /** What would be needed to say more, and is not there. */
  readonly unknown: readonly string[]
  readonly nextSteps: readonly string[]
}

/** What a runner was given up for whose host or node is not heard any more. */
export interface Silence {
  readonly lastHeardAt: Instant
  /**
   * Whether the forge still had its registration, offline and without its job. A runner is registered for one job: one
   * that reports the end of it is not registered any more, so that this one never did.
   */
  readonly wasRegistered: boolean
}

/** What is sealed about a runner's end before anything of it is removed. */
export interface DeathRecord extends Verdict, DeathFacts {
  readonly outcome: 'complete' | 'incomplete'
  /** How silent its host or node was, where the runner was given up with it; absent everywhere else. */
  readonly silence?: Silence
}
