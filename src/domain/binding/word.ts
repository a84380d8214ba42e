import type { Instant } from '../time.ts'

/** What a forge calls a job, in the words that all forges share. */
export interface ForgeJob {
  readonly installation: string
  readonly forgeJobId: number
  readonly runId: number
  readonly runAttempt: number
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
}

/** What the forge said about a job at one time: by webhook, or when asked. */
export interface ForgeWord {
  readonly job: ForgeJob
  readonly status: 'queued' | 'in_progress' | 'completed'
  /** It is announced as `queued`, and no runner can have it before somebody approves it at the forge. */
  readonly waitsForApproval?: true
  /** The runner that runs or ran it; null while nobody does. */
  readonly runnerName: string | null
  readonly conclusion: string | null
  readonly queuedAt: Instant | null
  readonly startedAt: Instant | null
  readonly completedAt: Instant | null
}
