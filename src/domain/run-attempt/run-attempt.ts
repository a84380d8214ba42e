import type { JobVerdict } from '../job-failure/index.ts'
import type { ForgeJobFact } from '../snapshot/index.ts'

/** One attempt of a job: the same job of the same run, run again. */
export interface RunAttempt {
  readonly number: number
  readonly job: ForgeJobFact
  /** Null where no source names it. */
  readonly node: string | null
  /** Why it failed; null where it did not. */
  readonly verdict: JobVerdict | null
  /** Copied from an earlier attempt, because only failed jobs were run again: it says nothing new. */
  readonly isCarriedOver: boolean
}

/** Facts of an attempt that its job at the forge has not: its node, and why it failed. */
export interface AttemptKnown {
  nodeOf(job: ForgeJobFact): string | null
  verdictOf(job: ForgeJobFact): JobVerdict | null
}

/**
 * The attempts of a job, oldest first: the jobs of the same name in the same run. Two jobs of one name in one attempt
 * are both listed.
 */
export function attemptsOf(
  of: ForgeJobFact,
  jobs: readonly ForgeJobFact[],
  { nodeOf, verdictOf }: AttemptKnown,
): readonly RunAttempt[] {
  const byId = new Map(jobs.filter((job) => isSameJob(job, of)).map((job) => [job.jobId, job]))
  byId.set(of.jobId, of)
  const numbered = [...byId.values()].flatMap((job) =>
    job.runAttempt === null ? [] : { number: job.runAttempt, job },
  )
  const sorted = numbered.sort((a, b) => a.number - b.number || a.job.jobId - b.job.jobId)
  return sorted.map(({ number, job }, index) => ({
    number,
    job,
    node: nodeOf(job),
    verdict: verdictOf(job),
    isCarriedOver: sorted.slice(0, index).some((earlier) => isCopy(job, earlier.job)),
  }))
}

function isSameJob(job: ForgeJobFact, of: ForgeJobFact): boolean {
  return (
    job.runId === of.runId &&
    job.name === of.name &&
    job.repository.toLowerCase() === of.repository.toLowerCase()
  )
}

/** A forge copies a job that it does not run again with its runner and its times. */
function isCopy(job: ForgeJobFact, earlier: ForgeJobFact): boolean {
  return (
    job.runAttempt !== earlier.runAttempt &&
    job.completedAt !== null &&
    job.startedAt === earlier.startedAt &&
    job.completedAt === earlier.completedAt &&
    job.runnerName === earlier.runnerName
  )
}
