import { isRecord } from '../../domain/is-record.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitlabApi } from '../../ports/gitlab.ts'
import { createGitlabRequest, type GitlabAnswer, readHeaders, unexpected } from './request.ts'

export interface GitlabOptions {
  /** The address of its web site; its API is below. */
  readonly url: string
  /** Of a user who may read the runner and its jobs. */
  readonly token: string
  readonly clock: Pick<Clock, 'after'>
}

/** GitLab's REST API about runners. */
export function createGitlabApi({ url, token, clock }: GitlabOptions): GitlabApi {
  const request = createGitlabRequest(url.replace(/\/+$/, ''), clock)
  const read = (path: string, signal: AbortSignal) => request(path, { headers: readHeaders(token) }, signal)
  return {
    async readRunner(id, signal) {
      const answer = await read(`/runners/${id}`, signal)
      if (answer.status === 404) return null
      const { body } = accepted(answer)
      if (!isRecord(body) || typeof body.status !== 'string') throw unexpected(answer, 'expected a runner')
      const contactedAt = typeof body.contacted_at === 'string' ? Date.parse(body.contacted_at) : Number.NaN
      return { status: body.status, contactedAt: Number.isNaN(contactedAt) ? null : contactedAt }
    },
    async runningJobs(id, signal) {
      const answer = await read(`/runners/${id}/jobs?status=running`, signal)
      const { body } = accepted(answer)
      if (!Array.isArray(body)) throw unexpected(answer, 'expected a list of jobs')
      return body.map((job: unknown) => {
        if (isRecord(job) && typeof job.id === 'number') return job.id
        throw unexpected(answer, 'expected jobs with an id')
      })
    },
    async runnerOfToken(value, signal) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ token: value }),
      }
      const answer = await request('/runners/verify', init, signal)
      if (answer.status === 403) return null
      const { body } = accepted(answer)
      if (isRecord(body) && typeof body.id === 'number') return body.id
      throw unexpected(answer, 'expected the id of a runner')
    },
  }
}

function accepted(answer: GitlabAnswer): GitlabAnswer {
  if (answer.status === 200) return answer
  const { body, status } = answer
  const message = isRecord(body) && typeof body.message === 'string' ? ` ${body.message}` : ''
  throw unexpected(answer, `it answered ${status}${message.slice(0, 100)}`)
}
