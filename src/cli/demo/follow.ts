import { type JobSummary, jobFileSchema, jobListSchema, jobsLimitMax } from '../../api/index.ts'
import { isError } from '../../domain/errors/index.ts'
import { isOpen } from '../../domain/job/index.ts'
import type { Client } from '../client/client.ts'

/** A job that was submitted; `job` is what the server last said, null until it has heard of it. */
export interface Followed {
  readonly forgeJobId: number
  readonly job: JobSummary | null
}

/** What the server says about these jobs now, with its time. */
export async function look<T extends Followed>(
  server: Client,
  installation: string,
  followed: readonly T[],
): Promise<{ readonly at: string; readonly followed: T[] }> {
  const list = await server.get(`/v1/jobs?limit=${jobsLimitMax}`, jobListSchema)
  const listed = new Map(
    list.jobs.filter((job) => job.installation === installation).map((job) => [job.forgeJobId, job]),
  )
  const updated: T[] = []
  for (const one of followed) {
    const job = hasEnded(one)
      ? one.job
      : (listed.get(one.forgeJobId) ?? (await find(server, installation, one.forgeJobId)))
    updated.push({ ...one, job })
  }
  return { at: list.at, followed: updated }
}

export function hasEnded({ job }: Followed): boolean {
  return job !== null && !isOpen(job)
}

/** The job as the forge names it; null while the server has not heard of it. */
export async function find(
  server: Client,
  installation: string,
  forgeJobId: number,
): Promise<JobSummary | null> {
  const name = encodeURIComponent(`${installation}:${forgeJobId}`)
  try {
    return (await server.get(`/v1/jobs/${name}`, jobFileSchema)).job
  } catch (error) {
    if (isError(error, 'E_JOB_UNKNOWN')) return null
    throw error
  }
}
