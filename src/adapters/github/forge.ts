import { HoldfastError } from '../../domain/errors/index.ts'
import type { Forge, ForgeScope, MintRefused, Unreachable } from '../../ports/forge.ts'
import type { Log } from '../../ports/log.ts'
import { mapBounded } from '../forge-http/index.ts'
import { readJob, readJobDetail, readLog, readOrigin, readRunJobs } from './calls/jobs.ts'
import { readLimit } from './calls/limit.ts'
import { listJobsOf } from './calls/list-jobs.ts'
import { mint } from './calls/mint.ts'
import { order } from './calls/orders.ts'
import { ownerOf, repositoryPath } from './calls/paths.ts'
import { createReach } from './calls/reach.ts'
import { createRegistrationTargets, type RunnerScope } from './calls/registration-targets.ts'
import { readRepositories } from './calls/repositories.ts'
import { readRunHead } from './calls/run-head.ts'
import { findRunner, removeRunner } from './calls/runners.ts'
import { concernsRepository, whereAllowed } from './calls/where-allowed.ts'
import type { Connection } from './connection.ts'
import type { OnSkipped } from './pages.ts'

export interface GitHubForgeOptions {
  /** The name under which the ledger knows this account. */
  readonly installation: string
  readonly scope?: RunnerScope
  readonly log: Log
}

/** GitHub over its REST API. */
export function createGitHubForge(connection: Connection, options: GitHubForgeOptions): Forge {
  const { installation, scope: runnerScope = { kind: 'repository' }, log } = options
  const { callAs, authority, clock, wire } = connection
  const targets = createRegistrationTargets({ ...connection, scope: runnerScope })
  const reach = createReach({ ...connection, targets })
  const own = (given: string): void => {
    if (given === installation) return
    throw new HoldfastError('E_BUG', { what: `the forge of ${installation} was asked about ${given}` })
  }
  const rescue = ({ installation: given, repository }: ForgeScope) => {
    own(given)
    return callAs({ kind: 'owner', owner: ownerOf(repository) }, 'recovery')
  }
  const targetOf = (scope: ForgeScope, signal: AbortSignal) => {
    own(scope.installation)
    return targets.of(scope.repository, 'recovery', signal)
  }
  const passedOver = (whose: string, { reason, incident }: MintRefused): void =>
    log.warn({ whose, reason, incident }, 'the forge does not show us these jobs')
  return {
    async mint(request, signal) {
      own(request.scope.installation)
      return mint(callAs, targets, request, signal)
    },
    findRunner: async (scope, name, signal) =>
      findRunner(callAs, await targetOf(scope, signal), name, 'recovery', signal),
    removeRunner: async (scope, id, signal) =>
      removeRunner(callAs, await targetOf(scope, signal), id, 'recovery', signal),
    readJob: async (scope, id, signal) => readJob(rescue(scope), scope, id, signal),
    readJobDetail: async (scope, id, signal) => readJobDetail(rescue(scope), scope, id, signal),
    readRunJobs: async (scope, runId, signal) =>
      readRunJobs(rescue(scope), scope, runId, clock.now(), signal),
    async readOrigin(scope, runId, signal) {
      own(scope.installation)
      const call = callAs({ kind: 'owner', owner: ownerOf(scope.repository) }, 'dispatch')
      return readOrigin(call, scope, runId, signal)
    },
    readRunHead: async (scope, runId, signal) => readRunHead(rescue(scope), scope, runId, signal),
    async listJobs(asked, signal) {
      own(asked.installation)
      let skipped = 0
      const onSkipped: OnSkipped = (path, why) => {
        skipped += 1
        log.warn({ path, why }, 'skipped a part of a list of the forge')
      }
      const { covered, refused } = await readRepositories(callAs, authority, 'resync', signal, onSkipped)
      const { results, refused: closed } = await whereAllowed(
        covered,
        concernsRepository,
        async ({ repository, identity }) => ({
          repository,
          ...(await listJobsOf(
            callAs(identity, 'resync'),
            repository,
            asked,
            clock.now(),
            signal,
            onSkipped,
          )),
        }),
      )
      for (const { item, refusal } of refused) passedOver(item.owner, refusal)
      for (const { item, refusal } of closed) passedOver(item.repository, refusal)
      return {
        events: results.flatMap(({ events }) => events),
        read: results.map(({ repository }) => repository),
        notCovered: [...refused.map(({ item }) => item.owner), ...closed.map(({ item }) => item.repository)],
        runsGone: results.reduce((sum, { runsGone }) => sum + runsGone, 0),
        skipped,
      }
    },
    async unreachable(given, repositories, signal) {
      own(given)
      const judged = await mapBounded(repositories, (asked) => reach(asked, signal))
      return judged.filter((each): each is Unreachable => each !== null)
    },
    rerunJob: async (scope, id, signal) =>
      order(rescue(scope), `${repositoryPath(scope.repository)}/actions/jobs/${id}/rerun`, signal),
    rerunFailedJobs: async (scope, id, signal) =>
      order(
        rescue(scope),
        `${repositoryPath(scope.repository)}/actions/runs/${id}/rerun-failed-jobs`,
        signal,
      ),
    cancelRun: async (scope, id, signal) =>
      order(rescue(scope), `${repositoryPath(scope.repository)}/actions/runs/${id}/cancel`, signal),
    readLog: async (scope, id, signal) => readLog(rescue(scope), scope.repository, id, wire, signal),
    readLimit: (signal) => readLimit(callAs, authority, signal),
  }
}
