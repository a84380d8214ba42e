import type { OrderAnswer } from '../../ports/forge.ts'
import { expectBody, messageOf, unexpected } from './answers.ts'
import type { ApiResponse, Call } from './call.ts'
import { countedTime, takeApart } from './numbers.ts'
import { repositoryPath } from './registration-path.ts'
import { jobSchema } from './schemas.ts'
import type { Versions } from './version.ts'

/** Gitea has no API to cancel: users cancel in the browser. */
export const cancelUnsupported: OrderAnswer = {
  kind: 'unsupported',
  reason: "Gitea's API cannot cancel a run (as of 1.27); cancel it on the run's page",
}

export async function rerunJob(
  call: Call,
  versions: Versions,
  repository: string,
  forgeJobId: number,
  signal: AbortSignal,
): Promise<OrderAnswer> {
  const { id, time } = takeApart(forgeJobId)
  const path = `${repositoryPath(repository)}/actions`
  const found = await call.rest('GET', `${path}/jobs/${id}`, signal)
  if (found.status === 404) return { kind: 'refused', reason: `404 ${messageOf(found)}`.trim() }
  const job = expectBody(found, 200, jobSchema, `GET ${path}/jobs/${id}`)
  const { counting } = versions.current() ?? (await versions.read(signal))
  if (counting === 'given' && time < countedTime(job))
    return { kind: 'refused', reason: 'it was run again already' }
  const order = `${path}/runs/${job.run_id}/jobs/${id}/rerun`
  return orderAnswer(await call.rest('POST', order, signal), order)
}

export async function rerunFailedJobs(
  call: Call,
  repository: string,
  runId: number,
  signal: AbortSignal,
): Promise<OrderAnswer> {
  const path = `${repositoryPath(repository)}/actions/runs/${runId}`
  const found = await call.rest('GET', path, signal)
  if (found.status === 404) return { kind: 'refused', reason: `404 ${messageOf(found)}`.trim() }
  if (found.status !== 200) throw unexpected(found, `GET ${path}`)
  return orderAnswer(await call.rest('POST', `${path}/rerun-failed-jobs`, signal), path)
}

/** The result of an order for an object that exists: a 404 means that this Gitea is too old to know the order. */
function orderAnswer(answer: ApiResponse, path: string): OrderAnswer {
  if (answer.status === 201) return { kind: 'done' }
  if (answer.status === 404 || answer.status === 405) {
    return { kind: 'unsupported', reason: 'this Gitea has no API to run a job again (1.26 has)' }
  }
  if (answer.status >= 400) {
    return { kind: 'refused', reason: `${answer.status} ${messageOf(answer)}`.trim() }
  }
  throw unexpected(answer, `POST ${path}`)
}
