import { judgeJobFailure } from '../domain/job-failure/index.ts'
import { type AttemptComparison, compareAttempts } from '../domain/run-attempt/index.ts'
import type { ForgeJobFact } from '../domain/snapshot/index.ts'
import type { RunnerReader } from '../ports/ledger.ts'
import type { JobAtForge } from './job-at-forge.ts'
import { sealedDeath } from './sealed.ts'

/** All attempts of a job side by side, by the forge's facts and the nodes that the ledger knows; null: it had only one. */
export async function attemptsOf(
  { job, log, others }: JobAtForge,
  ledger: Pick<RunnerReader, 'runnerFile'>,
): Promise<AttemptComparison | null> {
  if (job === null) return null
  const jobs = [job, ...others.map((other) => other.job)]
  const logs = new Map([[job.jobId, log], ...others.map((each) => [each.job.jobId, each.log] as const)])
  const nodes = new Map(
    await Promise.all(jobs.map(async (each) => [each.jobId, await nodeOf(each, ledger)] as const)),
  )
  return compareAttempts(job, jobs, {
    nodeOf: ({ jobId }) => nodes.get(jobId) ?? null,
    verdictOf: (each) =>
      each.status === 'completed'
        ? judgeJobFailure({ job: each, log: logs.get(each.jobId) ?? null, runner: null })
        : null,
  })
}

/** Of a runner of ours, by its death record. */
async function nodeOf(
  { runnerName }: ForgeJobFact,
  ledger: Pick<RunnerReader, 'runnerFile'>,
): Promise<string | null> {
  const file = runnerName === null ? null : await ledger.runnerFile(runnerName)
  if (file === null) return null
  return sealedDeath(file.evidence, file.runner.id)?.record.ending?.pod?.place?.node ?? null
}
