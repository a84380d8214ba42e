import type { Job } from './job.ts'

/** What a log line about a job names, so that it can be joined with the forge's, the cluster's and the job's own. */
export function jobFields({
  id,
  repository,
  runId,
  forgeJobId,
}: Pick<Job, 'id' | 'repository' | 'runId' | 'forgeJobId'>) {
  return { job: id, repository, run: runId, forgeJob: forgeJobId }
}
