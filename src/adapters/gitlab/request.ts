import { HoldfastError } from '../../domain/errors/index.ts'
import { parseJson } from '../../domain/parse-json.ts'
import { fetchReasonOf } from '../../domain/reason.ts'
import type { Clock } from '../../ports/clock.ts'

const timeoutMs = 10_000
/** A page of jobs with their commits and pipelines is some hundred kilobytes. */
const answerBytesMax = 4 * 1024 * 1024

export interface GitlabAnswer {
  readonly call: string
  readonly status: number
  readonly body: unknown
}

export type GitlabRequest = (path: string, init: RequestInit, signal: AbortSignal) => Promise<GitlabAnswer>

/** Asks GitLab's REST API below this address. Redirects are not followed: a token goes to the named server alone. */
export function createGitlabRequest(url: string, clock: Pick<Clock, 'after'>): GitlabRequest {
  return async (path, init, signal) => {
    const call = `${init.method ?? 'GET'} /api/v4${path.split('?')[0]}`
    const overdue = new AbortController()
    const cancel = clock.after(timeoutMs, () => overdue.abort(new Error(`no answer within ${timeoutMs} ms`)))
    const either = AbortSignal.any([signal, overdue.signal])
    try {
      const response = await fetch(`${url}/api/v4${path}`, { ...init, signal: either, redirect: 'manual' })
      return { call, status: response.status, body: parseJson(await bounded(response)) }
    } catch (error) {
      const cause = either.aborted ? either.reason : error
      throw new HoldfastError('E_FORGE_UNAVAILABLE', { call, why: fetchReasonOf(cause) }, cause)
    } finally {
      cancel()
    }
  }
}

/** The headers of a read with the token of a user. */
export function readHeaders(token: string): Record<string, string> {
  return { accept: 'application/json', 'private-token': token, 'user-agent': 'holdfast' }
}

/** The error of an answer that is none. */
export function unexpected({ call }: Pick<GitlabAnswer, 'call'>, why: string): HoldfastError {
  return new HoldfastError('E_FORGE_UNAVAILABLE', { call, why })
}

async function bounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > answerBytesMax) throw new Error(`its answer is larger than ${answerBytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
