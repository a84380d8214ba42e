import type { Job } from './job.ts'

/** The fields of a log line about a job, to join it with logs of the forge, the cluster and the job. */
export function jobFields({
  id,
  repository,
  runId,
  forgeJobId,
}: Pick<Job, 'id' | 'repository' | 'runId' | 'forgeJobId'>) {
  return { job: id, repository, run: runId, forgeJob: forgeJobId }
}
