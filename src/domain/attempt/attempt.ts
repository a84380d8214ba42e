import type { Instant } from '../time.ts'

export const attemptStates = [
  'claimed',
  'minted',
  'delivered',
  'acknowledged',
  'registered',
  'running',
  'ended',
] as const
export type AttemptState = (typeof attemptStates)[number]

/** Random and never reused; every write of an attempt names it, so that a lost attempt cannot be written to. */
export type Handle = string

export const endReasons = [
  /** The forge refused or did not answer the mint; nothing was delivered. */
  'mint-failed',
  /** Nothing was delivered before the deadline. */
  'claim-expired',
  /** The JIT was delivered, and its runner never reached the forge. */
  'never-registered',
  /** The forge said that the job is over. */
  'finished',
  /** The runner ended while the attempt was open. */
  'runner-gone',
  /** The forge gave the job to another runner. */
  'taken-elsewhere',
  /** A person closed the jobs of a forge installation that is not served any more. */
  'retired',
] as const
export type EndReason = (typeof endReasons)[number]

/** The forge's answer to the request to cancel the job's run. */
export const cancelAnswers = ['done', 'refused', 'unsupported'] as const
export type CancelAnswer = (typeof cancelAnswers)[number]

/** The job ran for longer than the pool of its runner lets one run. */
export interface PastDeadline {
  /** When that was found. */
  readonly at: Instant
  readonly limitMs: number
  readonly ranMs: number
  /** Null: the forge has not answered yet. */
  readonly cancel: CancelAnswer | null
}

export interface Attempt {
  readonly id: number
  readonly handle: Handle
  /** The job that this runner executes as far as is known; it changes when the forge swaps assignments. */
  readonly jobId: number
  /** The job for which the runner was claimed at first. */
  readonly claimedJobId: number
  readonly runnerId: number
  readonly state: AttemptState
  /** Chosen before the mint, so that a mint whose answer was lost can be found by name. */
  readonly forgeRunnerName: string
  readonly forgeRunnerId: number | null
  readonly claimedAt: Instant
  readonly mintedAt: Instant | null
  readonly deliveredAt: Instant | null
  readonly acknowledgedAt: Instant | null
  readonly registeredAt: Instant | null
  readonly startedAt: Instant | null
  readonly endedAt: Instant | null
  readonly endReason: EndReason | null
  readonly evidenceId: number | null
  /** When recovery looks at it again if nothing happens before: the deadline of the present state. */
  readonly checkAt: Instant
  /** Absent while its job is within the limit of the pool, or where there is none. */
  readonly pastDeadline?: PastDeadline
}

export function isOpenAttempt(attempt: Pick<Attempt, 'state'>): boolean {
  return attempt.state !== 'ended'
}
