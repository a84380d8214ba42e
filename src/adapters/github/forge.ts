import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Forge, ForgeScope, Minted, MintRefused } from '../../ports/forge.ts'
import type { Log } from '../../ports/log.ts'
import { type Call, createCall, unavailable } from './call.ts'
import { listJobs } from './list-jobs.ts'
import { expectBody, readAll, unexpected } from './pages.ts'
import { refusalOf } from './refusal.ts'
import { jobSchema, mintedSchema, runnerSchema } from './schemas.ts'
import { wordOf } from './word.ts'

const TIMEOUT_MS = 15_000
const DEFAULT_RUNNER_GROUP = 1
const WORK_FOLDER = '_work'

export interface GitHubForgeOptions {
  /** `https://api.github.com`, or where else GitHub's REST API is. */
  readonly baseUrl: string
  readonly token: () => Promise<string> | string
  /** The name under which the ledger knows this account. */
  readonly installation: string
  readonly timeoutMs?: number
  readonly runnerGroupId?: number
  readonly clock: Clock
  readonly log: Log
}

/** GitHub over its REST API. */
export function createGitHubForge(options: GitHubForgeOptions): Forge {
  const { installation, clock, log, timeoutMs = TIMEOUT_MS, runnerGroupId = DEFAULT_RUNNER_GROUP } = options
  const call = createCall({ ...options, timeoutMs })
  const own = (given: string): void => {
    if (given === installation) return
    throw new HoldfastError('E_BUG', { what: `the forge of ${installation} was asked about ${given}` })
  }
  const runnersPath = (scope: ForgeScope): string => {
    own(scope.installation)
    return `${repositoryPath(scope.repository)}/actions/runners`
  }
  return {
    async mint({ scope, name, labels }, signal) {
      const path = `${runnersPath(scope)}/generate-jitconfig`
      const body = { name, labels, runner_group_id: runnerGroupId, work_folder: WORK_FOLDER }
      const outcome = await mint(call, path, body, clock, signal)
      if (outcome.kind === 'refused') {
        const { concerns, reason, retryAfterMs } = outcome
        const { repository } = scope
        log.warn({ repository, name, concerns, reason, retryAfterMs }, 'the forge refused a runner')
      }
      return outcome
    },
    async findRunner(scope, name, signal) {
      const path = `${runnersPath(scope)}?name=${encodeURIComponent(name)}`
      const runners = await readAll(call, path, 'runners', runnerSchema, signal)
      const found = runners.find((runner) => runner.name === name)
      if (found === undefined) return null
      return { id: found.id, name, online: found.status === 'online', busy: found.busy }
    },
    async removeRunner(scope, forgeRunnerId, signal) {
      const path = `${runnersPath(scope)}/${forgeRunnerId}`
      const answer = await call('DELETE', path, signal)
      if (answer.status === 204) return 'removed'
      if (answer.status === 422) return 'busy'
      if (answer.status !== 404) throw unexpected(answer, `DELETE ${path}`)
      await provesAbsence(call, scope, signal)
      return 'absent'
    },
    async readJob(scope, forgeJobId, signal) {
      own(scope.installation)
      const path = `${repositoryPath(scope.repository)}/actions/jobs/${forgeJobId}`
      const answer = await call('GET', path, signal)
      if (answer.status !== 404) {
        return wordOf(expectBody(answer, 200, jobSchema, `GET ${path}`), scope.repository, installation)
      }
      await provesAbsence(call, scope, signal)
      return null
    },
    async listJobs(given, since, signal) {
      own(given)
      return listJobs(call, installation, since, signal)
    },
  }
}

async function mint(
  call: Call,
  path: string,
  body: Readonly<Record<string, unknown>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Minted | MintRefused> {
  const answer = await call('POST', path, signal, body)
  const refusal = refusalOf(answer, clock.now())
  if (refusal !== null) return refusal
  const minted = expectBody(answer, 201, mintedSchema, `POST ${path}`)
  return { kind: 'minted', forgeRunnerId: minted.runner.id, jit: minted.encoded_jit_config }
}

/** `/repos/owner/name`, whatever stands in the names. */
export function repositoryPath(repository: string): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`
}

/**
 * GitHub answers 404 also for what we may not see. Only where the repository itself can be read does it mean
 * that the thing in it does not exist; else nothing may be concluded.
 */
async function provesAbsence(call: Call, scope: ForgeScope, signal: AbortSignal): Promise<void> {
  const path = repositoryPath(scope.repository)
  const { status } = await call('GET', path, signal)
  if (status !== 200) {
    throw unavailable(`GET ${path}`, `it answered ${status}: the repository is gone, or not ours to see`)
  }
}
