import type { Instant } from '../time.ts'

/** What a forge calls a job, in the words that all forges share. */
export interface ForgeJob {
  readonly installation: string
  readonly forgeJobId: number
  readonly runId: number
  readonly runAttempt: number
  readonly repository: string
  readonly name: string
  /** What its workflow is called; absent where the forge does not say. */
  readonly workflow?: string
  readonly labels: readonly string[]
}

/** People read a name in a line; labels of a pool are shorter and fewer, so what is cut fits none. */
const TEXT_CHARS_MAX = 256
const LABELS_MAX = 100

/** A job with names that can be kept and shown, whatever somebody wrote into a workflow. */
export function boundedJob(job: ForgeJob): ForgeJob {
  const cut = (text: string): string => text.slice(0, TEXT_CHARS_MAX).toWellFormed()
  const named = {
    name: cut(job.name),
    ...(job.workflow === undefined ? {} : { workflow: cut(job.workflow) }),
  }
  return { ...job, ...named, labels: [...new Set(job.labels.map(cut))].slice(0, LABELS_MAX) }
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
