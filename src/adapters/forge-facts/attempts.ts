import type { ForgeJobFact, JobLogFact } from '../../domain/snapshot/index.ts'
import type { ForgeFactsOrder } from '../../ports/forge-facts.ts'
import { mapBounded } from '../forge-http/index.ts'
import type { FactCalls } from './fact-calls.ts'
import type { Reading } from './reading.ts'

/** Logs that are read of the jobs of runs, next to those of named jobs: each is up to 128 KiB of a snapshot. */
const logsMax = 6

interface Part {
  readonly calls: Pick<FactCalls, 'jobsOfRun' | 'log'>
  readonly reading: Reading
  readonly order: ForgeFactsOrder
}

/** Every attempt of the named runs, and of the named jobs those in every attempt of their runs. */
export async function attemptsOfRuns(
  { calls, reading, order: { runs } }: Part,
  named: readonly ForgeJobFact[],
): Promise<readonly ForgeJobFact[]> {
  const nameById = new Map(named.map((job) => [`${job.repository} ${job.runId} ${job.name}`, job]))
  const asked = [...runs, ...named].map(
    ({ repository, runId }) => [`${repository} ${runId}`, { repository, runId }] as const,
  )
  const read = await mapBounded([...new Map(asked).values()], ({ repository, runId }) =>
    reading.part('jobs', `jobs of run ${runId} of ${repository}`, () => calls.jobsOfRun(repository, runId)),
  )
  const isWhole = new Set(runs.map(({ runId }) => runId))
  return read
    .flatMap((jobs) => jobs ?? [])
    .filter((job) => isWhole.has(job.runId) || nameById.has(`${job.repository} ${job.runId} ${job.name}`))
}

/** The logs of those that failed, newest first: what attempts are compared by. */
export async function logsOfFailed(
  { calls, reading, order: { jobs } }: Part,
  ofRuns: readonly ForgeJobFact[],
): Promise<readonly JobLogFact[]> {
  const isRead = new Set(jobs.map(({ jobId }) => jobId))
  const failed = ofRuns.filter(({ jobId, conclusion }) => conclusion === 'failure' && !isRead.has(jobId))
  const newest = failed.toSorted((a, b) => b.jobId - a.jobId).slice(0, logsMax)
  const read = await mapBounded(newest, (job) =>
    reading.part('logs', `the log of job ${job.jobId} of ${job.repository}`, () => calls.log(job)),
  )
  return read.flatMap((log) => log ?? [])
}
