import type { AttemptState, PastDeadline } from '../attempt/index.ts'
import type { Instant } from '../time.ts'
import type { Ending } from './ending.ts'
import type { HostSamples } from './host-samples.ts'

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

/** The state of a runner's job, as far as the runner's end is judged by it. */
export interface JobReport {
  readonly forgeJobId: number
  readonly repository: string
  readonly attemptState: AttemptState
  readonly startedAt: Instant | null
  /** The last status at the forge; null where none is known. */
  readonly forgeStatus: string | null
  readonly conclusion: string | null
  /** When it ended, by the forge's clock; absent where the forge or an older record does not have it. */
  readonly forgeCompletedAt?: Instant
  /** When the newest job event was received. */
  readonly heardAt: Instant | null
  /** Set where it was ended because it ran for longer than its pool allows. */
  readonly pastDeadline?: PastDeadline
}

/** The runner's newest job in the ledger when the record was made. */
export interface JobAtEnd extends JobReport {
  readonly jobId: number
  readonly attemptId: number
}

/** The facts from which an end is judged. Readers judge again with facts that came later: job events, host samples. */
export interface DeathFacts {
  /** Null where nothing of the runner was left to read. */
  readonly ending: Ending | null
  readonly job: JobReport | null
  readonly ring: HostSamples | null
}

export interface Verdict {
  readonly class: DeathClass
  /** The rule that gave the class; see docs/reference/deaths.md. */
  readonly rule: string
  /** `proven` by a source that cannot lie about it, `likely` where the evidence fits, `unknown` without evidence. */
  readonly confidence: 'proven' | 'likely' | 'unknown'
  readonly because: readonly string[]
  /** Causes that are ruled out, each with how that is known. */
  readonly ruledOut: readonly string[]
  /** Missing evidence that would say more. */
  readonly unknown: readonly string[]
  readonly nextSteps: readonly string[]
}

/** The silence of a host or node for which its runner was given up. */
export interface Silence {
  /** The last heartbeat. */
  readonly lastHeardAt: Instant
  /**
   * Whether the forge still had its registration, offline and without a job. A runner is registered for one job and
   * deregistered when it reports the end: a registration that is left shows that it never reported.
   */
  readonly wasRegistered: boolean
}

/** The record of a runner's end, sealed before anything of it is removed. */
export interface DeathRecord<Job extends JobReport = JobAtEnd> extends Verdict, DeathFacts {
  readonly job: Job | null
  readonly outcome: 'complete' | 'incomplete'
  /** Set where the runner was given up with its silent host or node. */
  readonly silence?: Silence
}
