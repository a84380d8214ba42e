import type { JobOrigin } from '../../../domain/job/index.ts'
import type { JobEvent } from '../../../domain/job-event/index.ts'
import type { ForgeJobFact } from '../../../domain/snapshot/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { ForgeScope } from '../../../ports/forge.ts'
import { jobFactOf } from '../facts/fact-of.ts'
import { jobEventOf, repositoryIn, runOrigin } from '../job-event.ts'
import { readAll } from '../pages.ts'
import { isNotFound } from '../refusal.ts'
import { jobDetailSchema, jobSchema, runSchema } from '../schemas.ts'
import { type Call, unavailable } from '../transport/call.ts'
import { exchange, readNewest, type Wire } from '../transport/exchange.ts'
import { expectBody, unexpected } from '../transport/expect.ts'
import { readAnnotations } from './annotations.ts'
import { repositoryPath } from './paths.ts'

/** The newest part of a log that is kept. */
const logBytesMax = 1024 * 1024
/** The deadline for reading a whole log. */
const logTimeoutMs = 60_000

/** Reads a job; null: GitHub does not know it. */
export async function readJob(
  call: Call,
  { repository, installation }: ForgeScope,
  forgeJobId: number,
  signal: AbortSignal,
): Promise<JobEvent | null> {
  const path = `${repositoryPath(repository)}/actions/jobs/${forgeJobId}`
  const answer = await call('GET', path, signal)
  if (answer.status !== 404) {
    const job = expectBody(answer, 200, jobSchema, `GET ${path}`)
    // Where the forge redirected to a renamed repository, the job has its present name.
    return jobEventOf(job, repositoryIn(job.url) ?? repository, installation, answer.at)
  }
  await provesAbsence(call, repository, signal)
  return null
}

/** Reads a job with its steps and annotations; null: GitHub does not know it. */
export async function readJobDetail(
  call: Call,
  scope: Pick<ForgeScope, 'repository'>,
  forgeJobId: number,
  signal: AbortSignal,
): Promise<ForgeJobFact | null> {
  const fact = await readJobFact(call, scope, forgeJobId, signal)
  if (fact === null) return null
  return { ...fact, annotations: await readAnnotations(call, fact.repository, forgeJobId, signal) }
}

/** Reads a job with its steps, in one call; null: GitHub does not know it. */
export async function readJobFact(
  call: Call,
  { repository }: Pick<ForgeScope, 'repository'>,
  forgeJobId: number,
  signal: AbortSignal,
): Promise<ForgeJobFact | null> {
  const path = `${repositoryPath(repository)}/actions/jobs/${forgeJobId}`
  const answer = await call('GET', path, signal)
  if (answer.status === 404) {
    await provesAbsence(call, repository, signal)
    return null
  }
  return jobFactOf(expectBody(answer, 200, jobDetailSchema, `GET ${path}`), repository, answer.at)
}

/** Reads the jobs of every attempt of a run; empty: GitHub does not know the run. */
export async function readRunJobs(
  call: Call,
  { repository }: Pick<ForgeScope, 'repository'>,
  runId: number,
  now: Instant,
  signal: AbortSignal,
): Promise<readonly ForgeJobFact[]> {
  const path = `${repositoryPath(repository)}/actions/runs/${runId}/jobs?filter=all`
  try {
    const jobs = await readAll(call, path, 'jobs', jobDetailSchema, signal)
    return jobs.map((job) => jobFactOf(job, repository, now))
  } catch (error) {
    if (!isNotFound(error)) throw error
    await provesAbsence(call, repository, signal)
    return []
  }
}

/** Reads where the code of a run comes from; null: GitHub does not know the run. */
export async function readOrigin(
  call: Call,
  { repository }: ForgeScope,
  runId: number,
  signal: AbortSignal,
): Promise<JobOrigin | null> {
  const path = `${repositoryPath(repository)}/actions/runs/${runId}?exclude_pull_requests=true`
  const answer = await call('GET', path, signal)
  return answer.status === 404 ? null : runOrigin(expectBody(answer, 200, runSchema, `GET ${path}`))
}

/** Reads the log of a job. GitHub redirects to an address that is a secret itself: our token is not sent there. */
export async function readLog(
  call: Call,
  repository: string,
  forgeJobId: number,
  wire: Wire,
  signal: AbortSignal,
): Promise<string | null> {
  const path = `${repositoryPath(repository)}/actions/jobs/${forgeJobId}/logs`
  const answer = await call('GET', path, signal, { redirect: 'manual' })
  if (answer.status === 404 || answer.status === 410) return null
  if (answer.status !== 302) throw unexpected(answer, `GET ${path}`)
  const address = addressOf(answer.headers.get('location'))
  if (address === null) throw unavailable(`GET ${path}`, 'it led to no address')
  const patient = { ...wire, timeoutMs: logTimeoutMs }
  return exchange(`GET ${path}`, address, {}, patient, signal, async (response) => {
    if (response.ok) return readNewest(response, logBytesMax)
    await response.body?.cancel()
    // A log that expired or was deleted leaves its address behind.
    if (response.status === 404 || response.status === 410) return null
    throw new Error(`the log's address answered ${response.status}`)
  })
}

function addressOf(location: string | null): string | null {
  const url = location !== null && URL.canParse(location) ? new URL(location) : null
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null
}

/**
 * GitHub answers 404 also for objects that we may not see. Only where the repository itself can be read does a 404
 * prove that the object in it does not exist.
 */
async function provesAbsence(call: Call, repository: string, signal: AbortSignal): Promise<void> {
  const path = repositoryPath(repository)
  const { status } = await call('GET', path, signal)
  if (status !== 200) {
    throw unavailable(`GET ${path}`, `it answered ${status}: the repository is gone, or not ours to see`)
  }
}
