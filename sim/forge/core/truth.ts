import type { Connect, End, Instant, Job, JobStatus, Runner, Start } from './model.ts'
import type { Store } from './store.ts'

export interface JobTruth {
  readonly id: number
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
  readonly status: JobStatus
  readonly conclusion: string | null
  readonly submittedAt: Instant
  /** Since when the API does not know it any more, because somebody deleted its run. */
  readonly deletedAt: Instant | null
  readonly starts: readonly Start[]
  readonly ends: readonly End[]
}

interface RunnerTruth {
  readonly id: number
  readonly name: string
  readonly repository: string
  readonly state: Runner['state']
  readonly jobId: number | null
  readonly mintedAt: Instant
  readonly connects: readonly Connect[]
  readonly goneAt: Instant | null
  readonly goneBecause: string | null
}

/** The true history, independent of messages and reads. */
export interface Truth {
  readonly jobs: readonly JobTruth[]
  readonly runners: readonly RunnerTruth[]
  readonly overlaps: readonly Overlap[]
}

/** Something that must never be. */
export type Overlap =
  | { readonly kind: 'job-ran-twice-at-once'; readonly jobId: number; readonly runners: readonly string[] }
  | { readonly kind: 'runner-ran-two-jobs'; readonly runner: string; readonly jobIds: readonly number[] }
  | { readonly kind: 'jit-used-by-two'; readonly runner: string; readonly owners: readonly string[] }

export function truthOf(store: Store): Truth {
  return {
    jobs: [...store.jobs.values()].map((job) => jobTruth(job, store.runs.get(job.runId)?.deletedAt ?? null)),
    runners: [...store.runners.values()].map(runnerTruth),
    overlaps: overlapsOf(store),
  }
}

/** Every job that ran twice at once, runner that ran two, and configuration that two programs used. */
export function overlapsOf(store: Store): Overlap[] {
  const found: Overlap[] = []
  const jobsOfRunner = new Map<number, Job[]>()
  for (const job of store.jobs.values()) {
    if (ranTwiceAtOnce(job)) {
      const runners = job.starts.map((start) => start.runnerName)
      found.push({ kind: 'job-ran-twice-at-once', jobId: job.id, runners })
    }
    for (const { runnerId } of job.starts) {
      jobsOfRunner.set(runnerId, [...(jobsOfRunner.get(runnerId) ?? []), job])
    }
  }
  for (const runner of store.runners.values()) {
    const jobIds = (jobsOfRunner.get(runner.id) ?? []).map((job) => job.id)
    if (jobIds.length > 1) found.push({ kind: 'runner-ran-two-jobs', runner: runner.name, jobIds })
    const owners = [...new Set(runner.connects.map((connect) => connect.owner))]
    if (owners.length > 1) found.push({ kind: 'jit-used-by-two', runner: runner.name, owners })
  }
  return found
}

function ranTwiceAtOnce(job: Job): boolean {
  const starts = job.starts.toSorted((a, b) => a.at - b.at)
  return starts.some((start, index) => {
    const next = starts[index + 1]
    return next !== undefined && Math.max(start.lastSignAt, endOf(job, start)) > next.at
  })
}

function endOf(job: Job, start: Start): Instant {
  return job.ends.find((end) => end.at >= start.at)?.at ?? Number.POSITIVE_INFINITY
}

function jobTruth(job: Job, deletedAt: Instant | null): JobTruth {
  const { id, repository, name, labels, status, conclusion, createdAt, starts, ends } = job
  const facts = { id, repository, name, labels, status, conclusion, starts, ends }
  return { ...facts, submittedAt: createdAt, deletedAt }
}

function runnerTruth(runner: Runner): RunnerTruth {
  const { id, name, repository, state, jobId, mintedAt, connects, goneAt, goneBecause } = runner
  return { id, name, repository, state, jobId, mintedAt, connects, goneAt, goneBecause }
}
