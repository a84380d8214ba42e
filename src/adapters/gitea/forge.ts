import { HoldfastError } from '../../domain/errors/index.ts'
import type { JobEvent } from '../../domain/job-event/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Forge, ForgeScope, Unreachable } from '../../ports/forge.ts'
import { expectBody, unexpected } from './answers.ts'
import { type Call, unavailable } from './call.ts'
import { jobEventOf, runOrigin } from './job-event.ts'
import { jobFactOf } from './job-fact.ts'
import { listJobs } from './list-jobs.ts'
import { mint } from './mint.ts'
import { countedTime, type Numbers, takeApart } from './numbers.ts'
import { cancelUnsupported, rerunFailedJobs, rerunJob } from './orders.ts'
import { groupless } from './refusal.ts'
import { createRegistrationPath, type RunnerScope, repositoryPath } from './registration-path.ts'
import { readRunHead } from './run-head.ts'
import { readRunJobs } from './run-jobs.ts'
import { findRunner, removeRunner } from './runners.ts'
import { type GiteaJobDetail, jobDetailSchema, runOriginSchema } from './schemas.ts'
import { whyUnreachable } from './unreachable.ts'
import type { Versions } from './version.ts'

export interface GiteaForgeOptions {
  /** The address of Gitea's web site, or of its API. */
  readonly url: string
  readonly call: Call
  /** The name under which the ledger knows this Gitea. */
  readonly installation: string
  readonly scope: RunnerScope
  readonly numbers: Numbers
  readonly versions: Versions
  readonly clock: Clock
}

/** Gitea over its REST API, and over the service that its runners use. */
export function createGiteaForge(options: GiteaForgeOptions): Forge {
  const { installation, numbers, versions, clock, call } = options
  const address = options.url.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
  const registrationPath = createRegistrationPath(call, options.scope)
  const own = (given: string): void => {
    if (given === installation) return
    throw new HoldfastError('E_BUG', { what: `the forge of ${installation} was asked about ${given}` })
  }
  const placeOf = (scope: ForgeScope, signal: AbortSignal): Promise<string> => {
    own(scope.installation)
    return registrationPath(scope, signal)
  }
  return {
    async mint(request, signal) {
      if (request.runnerGroup !== undefined) return groupless(request.runnerGroup)
      return mint(call, address, await placeOf(request.scope, signal), request, signal)
    },
    async findRunner(scope, name, signal) {
      return findRunner(call, await placeOf(scope, signal), name, signal)
    },
    async removeRunner(scope, forgeRunnerId, signal) {
      const outcome = await removeRunner(call, await placeOf(scope, signal), forgeRunnerId, signal)
      if (outcome !== 'unknown') return outcome
      await provesAbsence(call, scope, signal)
      return 'absent'
    },
    async readJob(scope, forgeJobId, signal) {
      own(scope.installation)
      return (await readJob(call, versions, scope, forgeJobId, signal))?.event ?? null
    },
    async readJobDetail(scope, forgeJobId, signal) {
      own(scope.installation)
      const read = await readJob(call, versions, scope, forgeJobId, signal)
      return read && jobFactOf(read.job, read.event)
    },
    async readRunJobs(scope, runId, signal) {
      own(scope.installation)
      const jobs = await readRunJobs(call, versions, numbers, scope, runId, signal)
      if (jobs === null) await provesAbsence(call, scope, signal)
      return jobs ?? []
    },
    async readOrigin(scope, runId, signal) {
      own(scope.installation)
      const path = `${repositoryPath(scope.repository)}/actions/runs/${runId}`
      const answer = await call.rest('GET', path, signal)
      if (answer.status === 404) return null
      return runOrigin(expectBody(answer, 200, runOriginSchema, `GET ${path}`))
    },
    async readRunHead(scope, runId, signal) {
      own(scope.installation)
      return readRunHead(call, scope, runId, signal)
    },
    async listJobs(asked, signal) {
      own(asked.installation)
      return listJobs(call, asked, numbers, versions, clock.now(), signal)
    },
    async unreachable(given, repositories, signal) {
      own(given)
      const found: Unreachable[] = []
      for (const { repository } of repositories) {
        const why = await whyUnreachable(call, repository, signal)
        if (why !== null) found.push(why)
      }
      return found
    },
    async rerunJob(scope, forgeJobId, signal) {
      own(scope.installation)
      return rerunJob(call, versions, scope.repository, forgeJobId, signal)
    },
    async rerunFailedJobs(scope, runId, signal) {
      own(scope.installation)
      return rerunFailedJobs(call, scope.repository, runId, signal)
    },
    async cancelRun(scope, _, signal) {
      own(scope.installation)
      if (signal.aborted) throw unavailable('cancel', 'the caller gave up', signal.reason)
      return cancelUnsupported
    },
    async readLog(scope, forgeJobId, signal) {
      own(scope.installation)
      const event = (await readJob(call, versions, scope, forgeJobId, signal))?.event
      // Gitea shows only the newest log of a job that was rerun.
      if (event?.status !== 'completed' || event.conclusion === null) return null
      const path = `${repositoryPath(scope.repository)}/actions/jobs/${takeApart(forgeJobId).id}/logs`
      const answer = await call.rest('GET', path, signal, { isLog: true })
      if (answer.status === 404 || answer.status === 500) return null
      if (answer.status !== 200) throw unexpected(answer, `GET ${path}`)
      return answer.text
    },
    readLimit: async () => {}, // Gitea has none
  }
}

interface JobRead {
  readonly job: GiteaJobDetail
  readonly event: JobEvent
}

async function readJob(
  call: Call,
  versions: Versions,
  { installation, repository }: ForgeScope,
  forgeJobId: number,
  signal: AbortSignal,
): Promise<JobRead | null> {
  const { counting } = versions.current() ?? (await versions.read(signal))
  const { id, time } = takeApart(forgeJobId)
  const path = `${repositoryPath(repository)}/actions/jobs/${id}`
  const answer = await call.rest('GET', path, signal)
  if (answer.status === 404) {
    await provesAbsence(call, { installation, repository }, signal)
    return null
  }
  const job = expectBody(answer, 200, jobDetailSchema, `GET ${path}`)
  const isOwnId = counting === 'attempt' && time === 1
  const runAttempt = isOwnId ? Math.max(job.run_attempt, 1) : time
  const event = jobEventOf(job, { installation, repository, forgeJobId, runAttempt })
  if (isOwnId || time >= countedTime(job)) return { job, event }
  // The job was rerun since, so this attempt has ended; Gitea does not keep its conclusion.
  const over = { runnerName: null, conclusion: null, startedAt: null, completedAt: null }
  return { job, event: { ...event, status: 'completed', ...over } }
}

/**
 * Gitea answers 404 also for objects that we may not see. Only where the repository itself can be read does a 404 prove
 * that the object in it does not exist.
 */
async function provesAbsence(call: Call, scope: ForgeScope, signal: AbortSignal): Promise<void> {
  const path = repositoryPath(scope.repository)
  const { status } = await call.rest('GET', path, signal)
  if (status !== 200) {
    throw unavailable(`GET ${path}`, `it answered ${status}: the repository is gone, or not ours to see`)
  }
}
