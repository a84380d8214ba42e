import { z } from 'zod'
import type { Clock } from '../../ports/clock.ts'
import type { GitlabJobs } from '../../ports/remedy-gitlab.ts'
import { createGitlabRequest, readHeaders, unexpected } from './request.ts'

const jobSchema = z.object({ id: z.int(), status: z.string().min(1).max(50) })

export interface GitlabJobsOptions {
  /** The address of GitLab's web site; its API is below. */
  readonly url: string
  readonly token: string
  readonly clock: Clock
}

/** Jobs by GitLab's REST API, with plain reads. */
export function createGitlabJobs({ url, token, clock }: GitlabJobsOptions): GitlabJobs {
  const base = url.replace(/\/+$/, '')
  const request = createGitlabRequest(base, clock)
  return {
    url: base,
    async readJob({ projectId, jobId }, signal) {
      const at = clock.now()
      const path = `/projects/${projectId}/jobs/${jobId}`
      const answer = await request(path, { headers: readHeaders(token) }, signal)
      if (answer.status === 404) return { at, status: null }
      if (answer.status !== 200) throw unexpected(answer, `it answered ${answer.status}`)
      const job = jobSchema.safeParse(answer.body)
      if (!job.success || job.data.id !== jobId)
        throw unexpected(answer, 'its answer is no job of this number')
      return { at, status: job.data.status }
    },
  }
}
