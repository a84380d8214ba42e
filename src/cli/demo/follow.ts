import { type JobSummary, jobFileSchema, jobListSchema, jobsLimitMax } from '../../api/index.ts'
import { isError } from '../../domain/errors/index.ts'
import { isOpen } from '../../domain/job/index.ts'
import type { Client } from '../client/client.ts'

/** A submitted job; `job` is the server's latest answer, null until the server knows the job. */
export interface Followed {
  readonly forgeJobId: number
  readonly job: JobSummary | null
}

/** Reads these jobs from the server, with the server's time. */
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

/** Reads the job by its name at the forge; null while the server does not know it. */
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
