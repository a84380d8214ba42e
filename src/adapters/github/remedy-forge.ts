import type { RemedyForge } from '../../ports/remedy.ts'
import { readJobFact } from './calls/jobs.ts'
import { ownerOf, repositoryPath } from './calls/paths.ts'
import { readRepositories } from './calls/repositories.ts'
import { findRunner } from './calls/runners.ts'
import type { Connection } from './connection.ts'
import { readJobsOfRepository } from './facts/parts.ts'
import { unavailable } from './transport/call.ts'

/** Each costs two calls and more: a remedy asks about one lane, and the operator can name its repository. */
const repositoriesMax = 50

/** GitHub's word about single runners and jobs. Runners by name: the number in ARC's objects need not be that of the REST API. */
export function createGitHubRemedyForge(
  connection: Pick<Connection, 'callAs' | 'clock' | 'authority'>,
  host: string,
): RemedyForge {
  const { callAs, clock } = connection
  const callOf = (scope: string) => callAs({ kind: 'owner', owner: ownerOf(scope) }, 'recovery')
  return {
    host,
    async readRunner(scope, name, signal) {
      const at = clock.now()
      const isRepository = scope.includes('/')
      const target = {
        kind: isRepository ? 'repository' : 'organisation',
        path: isRepository ? repositoryPath(scope) : `/orgs/${encodeURIComponent(scope)}`,
        identity: { kind: 'owner', owner: ownerOf(scope) },
      } as const
      const found = await findRunner(callAs, target, name, 'recovery', signal)
      const runner = found && { id: found.id, name, isOnline: found.online, isBusy: found.busy }
      return { at, runner }
    },
    async readQueuedJobs({ scope, repository }, signal) {
      const repositories =
        repository === null ? await repositoriesIn(scope, connection, signal) : [repository]
      const jobs = []
      for (const each of repositories)
        jobs.push(...(await readJobsOfRepository(callOf(each), each, null, clock.now(), signal)))
      return jobs.filter(({ status }) => status === 'queued')
    },
    async readJob({ repository, jobId }, signal) {
      const at = clock.now()
      return { at, job: await readJobFact(callOf(repository), { repository }, jobId, signal) }
    },
  }
}

async function repositoriesIn(
  scope: string,
  { callAs, authority }: Pick<Connection, 'callAs' | 'authority'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (scope.includes('/')) return [scope]
  const { covered, refused } = await readRepositories(callAs, authority, 'recovery', signal)
  const hidden = refused.find(({ item }) => item.owner.toLowerCase() === scope.toLowerCase())
  if (hidden !== undefined) throw unavailable(`GET the repositories of ${scope}`, hidden.refusal.reason)
  const own = covered
    .map(({ repository }) => repository)
    .filter((each) => ownerOf(each).toLowerCase() === scope.toLowerCase())
  if (own.length <= repositoriesMax) return own
  throw unavailable(
    `GET the queued jobs of ${scope}`,
    `it has ${own.length} repositories, and at most ${repositoriesMax} are asked: name one with --repository`,
  )
}
