import type { ForgeWord } from '../../domain/binding/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Forge, ForgeScope, Unreachable } from '../../ports/forge.ts'
import { expectBody, unexpected } from './answers.ts'
import { type Call, unavailable } from './call.ts'
import { listJobs } from './list-jobs.ts'
import { mint } from './mint.ts'
import { countedTime, type Numbers, takeApart } from './numbers.ts'
import { cancelUnsupported, rerunFailedJobs, rerunJob } from './orders.ts'
import { placesOf, type RunnerScope, repositoryPath } from './places.ts'
import { groupless } from './refusal.ts'
import { findRunner, removeRunner } from './runners.ts'
import { jobSchema } from './schemas.ts'
import { whyUnreachable } from './unreachable.ts'
import type { Versions } from './version.ts'
import { wordOf } from './word.ts'

export interface GiteaForgeOptions {
  /** Where people open Gitea, or its API. */
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
  const placeIn = placesOf(call, options.scope)
  const own = (given: string): void => {
    if (given === installation) return
    throw new HoldfastError('E_BUG', { what: `the forge of ${installation} was asked about ${given}` })
  }
  const placeOf = (scope: ForgeScope, signal: AbortSignal): Promise<string> => {
    own(scope.installation)
    return placeIn(scope, signal)
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
      return readJob(call, versions, scope, forgeJobId, signal)
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
      if (signal.aborted) throw unavailable('cancel', 'it was not asked any more', signal.reason)
      return cancelUnsupported
    },
    async readLog(scope, forgeJobId, signal) {
      own(scope.installation)
      const word = await readJob(call, versions, scope, forgeJobId, signal)
      // Of a job that was run again Gitea shows the newest log alone.
      if (word?.status !== 'completed' || word.conclusion === null) return null
      const path = `${repositoryPath(scope.repository)}/actions/jobs/${takeApart(forgeJobId).id}/logs`
      const answer = await call.rest('GET', path, signal, { isLog: true })
      if (answer.status === 404 || answer.status === 500) return null
      if (answer.status !== 200) throw unexpected(answer, `GET ${path}`)
      return answer.text
    },
    readLimit: async () => {}, // Gitea has none
  }
}

async function readJob(
  call: Call,
  versions: Versions,
  { installation, repository }: ForgeScope,
  forgeJobId: number,
  signal: AbortSignal,
): Promise<ForgeWord | null> {
  const { counting } = versions.current() ?? (await versions.read(signal))
  const { id, time } = takeApart(forgeJobId)
  const path = `${repositoryPath(repository)}/actions/jobs/${id}`
  const answer = await call.rest('GET', path, signal)
  if (answer.status === 404) {
    await provesAbsence(call, { installation, repository }, signal)
    return null
  }
  const job = expectBody(answer, 200, jobSchema, `GET ${path}`)
  const isOwnId = counting === 'attempt' && time === 1
  const runAttempt = isOwnId ? Math.max(job.run_attempt, 1) : time
  const word = wordOf(job, { installation, repository, forgeJobId, runAttempt })
  if (isOwnId || time >= countedTime(job)) return word
  // It was run again since, so this time of it is over; how it ended, Gitea does not tell any more.
  return {
    ...word,
    ...{ status: 'completed', runnerName: null, conclusion: null, startedAt: null, completedAt: null },
  }
}

/**
 * Gitea answers 404 also for what we may not see. Only where the repository itself can be read does it mean that the
 * thing in it does not exist; else nothing may be concluded.
 */
async function provesAbsence(call: Call, scope: ForgeScope, signal: AbortSignal): Promise<void> {
  const path = repositoryPath(scope.repository)
  const { status } = await call.rest('GET', path, signal)
  if (status !== 200) {
    throw unavailable(`GET ${path}`, `it answered ${status}: the repository is gone, or not ours to see`)
  }
}
