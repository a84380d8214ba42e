import type { Instant } from '../time.ts'
import type { JobOrigin } from './origin.ts'

/** From first sight to a proven end, in order; the last three are ends. */
export const jobStates = [
  'queued',
  'claimed',
  'delivered',
  'registered',
  'running',
  'completed',
  'cancelled',
  'lost',
] as const
export type JobState = (typeof jobStates)[number]

export const openJobStates = ['queued', 'claimed', 'delivered', 'registered', 'running'] as const

/** Priority classes, most urgent first; their position is the number that the ledger stores. */
export const priorities = ['critical', 'high', 'normal', 'low'] as const
export type Priority = (typeof priorities)[number]

/** Before every clock's time: a clock that is set back keeps no job waiting that does not back off. */
export const noBackOff: Instant = 0

export interface Job extends JobOrigin {
  readonly id: number
  /** Which forge installation announced it; with `forgeJobId` it names the job in the world outside. */
  readonly installation: string
  readonly forgeJobId: number
  readonly runId: number
  readonly runAttempt: number
  /** `owner/name`. */
  readonly repository: string
  readonly owner: string
  readonly name: string
  /** The name of its workflow; absent where the first event did not have it. */
  readonly workflow?: string
  readonly labels: readonly string[]
  /** The pool that serves its labels; null means that none does, which `why` says. */
  readonly pool: string | null
  readonly priority: Priority
  /** Start tag of fair queueing: the lowest goes next inside a priority class (docs/design/fair-share.md). */
  readonly shareTag: number
  readonly state: JobState
  /** The forge's conclusion: success, failure, cancelled, … */
  readonly conclusion: string | null
  /** Name of the runner that the forge says runs it; a foreign runner's name is kept too. */
  readonly executor: string | null
  readonly mintFailures: number
  readonly requeues: number
  /** Not handed out before this time (back-off); `noBackOff`: at once. */
  readonly notBefore: Instant
  /** Why it is withheld until somebody acts; null means that it is not. */
  readonly quarantine: string | null
  readonly forgeQueuedAt: Instant | null
  readonly forgeStartedAt: Instant | null
  readonly forgeCompletedAt: Instant | null
  readonly seenAt: Instant
  /** When recovery looks at it again if nothing happens before. */
  readonly checkAt: Instant
  readonly endedAt: Instant | null
}

export function isOpen(job: Pick<Job, 'state'>): boolean {
  return (openJobStates as readonly string[]).includes(job.state)
}
