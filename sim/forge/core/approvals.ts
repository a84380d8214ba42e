import type { Context } from './context.ts'
import { admitJob } from './jobs.ts'
import type { Job, Pending } from './model.ts'
import { idOfName } from './payload/index.ts'
import { conclude, jobsOf } from './workflow.ts'

/** The number that the API has for an environment of a repository. */
function environmentId(repository: string, environment: string): number {
  return idOfName(`${repository} environment ${environment}`)
}

/** The environments for which jobs of a run wait. */
export function pendingOf(context: Context, runId: number): readonly Pending[] {
  const waiting = jobsOf(context, runId).filter((job) => job.status === 'waiting')
  const byName = Map.groupBy(waiting, (job) => job.environment ?? '')
  return [...byName].map(([name, jobs]) => ({
    name,
    jobs,
    id: environmentId(jobs[0]?.repository ?? '', name),
  }))
}

/** Somebody approves or rejects what waits for these environments; the jobs that this was about. */
export function review(
  context: Context,
  runId: number,
  environments: readonly number[],
  isApproved: boolean,
): readonly Job[] {
  const meant = pendingOf(context, runId).filter(({ id }) => environments.includes(id))
  const jobs = meant.flatMap((pending) => pending.jobs)
  for (const job of jobs) {
    if (isApproved) admitJob(context, job)
    else conclude(context, job, 'failure', 'rejected')
  }
  return jobs
}
