import type { Job, JobStanding, JobState } from '../../domain/job/index.ts'
import type { QueueFacts } from '../../domain/queue/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { JobFile } from './files.ts'
import type { Listed, UnreadableJob } from './unreadable.ts'

/** Jobs, and how they are found. */
export interface JobReader {
  findJob(installation: string, forgeJobId: number): Promise<Job | null>
  jobFile(jobId: number): Promise<JobFile | null>
  jobs(filter: JobFilter): Promise<Listed<Job, UnreadableJob>>
  /** How many there are, counted up to `max` and no further. */
  countJobs(conditions: JobConditions, max: number): Promise<number>
  queueFacts(jobId: number): Promise<QueueFacts | null>
  /** Runs with a job first seen since then of which every job known here has ended. */
  settledRuns(installation: string, since: Instant): Promise<ReadonlySet<number>>
}

/** Absent fields do not filter. */
export interface JobConditions {
  readonly states?: readonly JobState[] | undefined
  /** As lists show states: `queued` is without those that are withheld. */
  readonly standings?: readonly JobStanding[] | undefined
  readonly repository?: string | undefined
  /** Null: no pool serves it. */
  readonly pool?: string | null | undefined
  /** It has all of them, in any case of letters. */
  readonly labels?: readonly string[] | undefined
  /** It is open, or ended within this time. */
  readonly withinMs?: number | undefined
  /** It ended so: the forge's conclusion, or `lost`. */
  readonly outcomes?: readonly string[] | undefined
}

export interface JobFilter extends JobConditions {
  /** `newest` first unless said otherwise; `attention`: by `attentionRank`, the oldest first, and what ended newest first. */
  readonly order?: 'newest' | 'attention' | undefined
  /** Goes on behind this one, which was the last of a page in the same order. */
  readonly after?: JobCursor | undefined
  /** At most so many. */
  readonly limit: number
}

/** A place in a list: it stays where it is, whatever comes and goes. */
export interface JobCursor {
  readonly rank: number
  readonly id: number
}
