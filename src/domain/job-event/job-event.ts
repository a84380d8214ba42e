import type { JobOrigin } from '../job/index.ts'
import type { Instant } from '../time.ts'

/** A job as the forge names it, in the terms that all forges share. */
export interface ForgeJob extends JobOrigin {
  readonly installation: string
  readonly forgeJobId: number
  readonly runId: number
  readonly runAttempt: number
  readonly repository: string
  readonly name: string
  /** The name of its workflow; absent where the forge does not give it. */
  readonly workflow?: string
  readonly labels: readonly string[]
}

/** People read a name in a line; labels of a pool are shorter and fewer, so what is cut fits none. */
const textCharsMax = 256
const labelsMax = 100

/** A job with names that can be kept and shown, whatever somebody wrote into a workflow. */
export function boundedJob(job: ForgeJob): ForgeJob {
  const cut = (text: string): string => text.slice(0, textCharsMax).toWellFormed()
  const named = {
    name: cut(job.name),
    ...(job.workflow === undefined ? {} : { workflow: cut(job.workflow) }),
  }
  return { ...job, ...named, labels: [...new Set(job.labels.map(cut))].slice(0, labelsMax) }
}

/** A job event: the state of a job at the forge at one time, from a webhook delivery or from its API. */
export interface JobEvent {
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
