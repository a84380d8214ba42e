import type { ForgeWord } from '../../../domain/binding/index.ts'
import { isRepositoryName } from '../../../domain/job/index.ts'
import type { ForgeScope } from '../../../ports/forge.ts'
import { jobSchema } from '../schemas.ts'
import { type Call, unavailable } from '../transport/call.ts'
import { exchange, readNewest, type Wire } from '../transport/exchange.ts'
import { expectBody, unexpected } from '../transport/expect.ts'
import { wordOf } from '../word.ts'
import { repositoryPath } from './paths.ts'

/** Of a longer log the newest part is kept. */
const LOG_BYTES_MAX = 1024 * 1024
/** A log is read to its end, however long it is, but not for longer. */
const LOG_TIMEOUT_MS = 60_000

/** What GitHub says about a job; null: it does not know it. */
export async function readJob(
  call: Call,
  { repository, installation }: ForgeScope,
  forgeJobId: number,
  signal: AbortSignal,
): Promise<ForgeWord | null> {
  const path = `${repositoryPath(repository)}/actions/jobs/${forgeJobId}`
  const answer = await call('GET', path, signal)
  if (answer.status !== 404) {
    const job = expectBody(answer, 200, jobSchema, `GET ${path}`)
    // Where the forge led on to a renamed repository, the job says what it is called now.
    return wordOf(job, repositoryIn(job.url) ?? repository, installation, answer.at)
  }
  await provesAbsence(call, repository, signal)
  return null
}

/** The log of a job. It lies elsewhere, at an address that is a secret itself: our token stays here. */
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
  const patient = { ...wire, timeoutMs: LOG_TIMEOUT_MS }
  return exchange(`GET ${path}`, address, {}, patient, signal, async (response) => {
    if (response.ok) return readNewest(response, LOG_BYTES_MAX)
    await response.body?.cancel()
    // A log that expired or was deleted leaves its address behind.
    if (response.status === 404 || response.status === 410) return null
    throw new Error(`where it led to answered ${response.status}`)
  })
}

function repositoryIn(url: string | null | undefined): string | null {
  const parts = /\/repos\/([^/]+\/[^/]+)\/actions\/jobs\/\d+$/.exec(url ?? '')
  const repository = decodeURIComponent(parts?.[1] ?? '')
  return isRepositoryName(repository) ? repository : null
}

function addressOf(location: string | null): string | null {
  const url = location !== null && URL.canParse(location) ? new URL(location) : null
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null
}

/**
 * GitHub answers 404 also for what we may not see. Only where the repository itself can be read does it mean
 * that the thing in it does not exist; else nothing may be concluded.
 */
async function provesAbsence(call: Call, repository: string, signal: AbortSignal): Promise<void> {
  const path = repositoryPath(repository)
  const { status } = await call('GET', path, signal)
  if (status !== 200) {
    throw unavailable(`GET ${path}`, `it answered ${status}: the repository is gone, or not ours to see`)
  }
}
