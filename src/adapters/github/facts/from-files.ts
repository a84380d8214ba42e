import {
  type FactSource,
  type ForgeJobFact,
  type ForgeRunnerFact,
  type Listing,
  type Unread,
  unreadListing,
} from '../../../domain/snapshot/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ForgeFactsReader } from '../../../ports/forge-facts.ts'
import { jobDetailSchema, listedRunnerSchema } from '../schemas.ts'
import { answersInFile, fileError } from './answers-in-files.ts'
import { jobFactOf, repositoryOf, runnerFactOf } from './fact-of.ts'
import { type LogFile, readLogs } from './logs-in-files.ts'

/** A file with a list of runners; without a scope it is that of the only scope that is asked for. */
export interface RunnersFile {
  readonly scope: string | null
  readonly path: string
}

export interface ForgeFilesOptions {
  readonly runners: readonly RunnersFile[]
  readonly jobs: readonly string[]
  /** Logs of jobs that the files of jobs have. */
  readonly logs?: readonly LogFile[]
  readonly clock: Pick<Clock, 'now'>
}

const source: FactSource = 'file'

/** Facts from files with GitHub's answers, for people without a credential. Throws E_FORGE_FILE. */
export function createForgeFiles({ runners, jobs, logs = [], clock }: ForgeFilesOptions): ForgeFactsReader {
  return {
    host: null,
    async readForgeFacts(order) {
      const at = clock.now()
      const listedRunners = await readRunners(runners, order.runnerScopes, at)
      const listedJobs = await readJobs(jobs, order.repositories, at)
      return {
        facts: {
          runners: listedRunners.listing,
          jobs: listedJobs.listing,
          logs: await readLogs(logs, listedJobs.listing.items, at),
          budgets: unreadListing(source, at, {
            what: 'budgets of credentials',
            why: 'files do not have them',
            needs: 'a credential of the forge',
          }),
        },
        requests: 0,
        bytes: listedRunners.bytes + listedJobs.bytes,
      }
    },
  }
}

interface Read<T> {
  readonly listing: Listing<T>
  readonly bytes: number
}

async function readRunners(
  files: readonly RunnersFile[],
  scopes: readonly string[],
  at: Instant,
): Promise<Read<ForgeRunnerFact>> {
  const [only, ...others] = scopes
  const read = await Promise.all(
    files.map(async ({ path, scope: given }) => {
      const answers = await answersInFile(path, 'runners', listedRunnerSchema)
      const scope = given ?? (others.length === 0 ? (only ?? null) : null)
      return { path, scope, ...answers }
    }),
  )
  const isRead = (scope: string) => read.some((file) => file.scope?.toLowerCase() === scope.toLowerCase())
  const missing = scopes
    .filter((scope) => !isRead(scope))
    .map(
      (scope): Unread => ({
        what: `runners of ${scope}`,
        why: 'no file is named as theirs',
        needs: `--github-runners-json ${scope}=<file>`,
      }),
    )
  const none: Unread = {
    what: 'runners',
    why: 'no file was given',
    needs: '--github-runners-json <scope>=<file>',
  }
  return {
    listing: {
      source,
      at,
      items: read.flatMap(({ items, scope }) => items.map((runner) => runnerFactOf(runner, scope))),
      unread: [
        ...(files.length + missing.length === 0 ? [none] : []),
        ...missing,
        ...read.flatMap((file) => missingPages('runners', file)),
      ],
    },
    bytes: sumOf(read),
  }
}

async function readJobs(
  files: readonly string[],
  repositories: readonly string[] | null,
  at: Instant,
): Promise<Read<ForgeJobFact>> {
  const wanted = repositories && new Set(repositories.map((name) => name.toLowerCase()))
  const read = await Promise.all(
    files.map(async (path) => ({ path, ...(await answersInFile(path, 'jobs', jobDetailSchema)) })),
  )
  const items = read.flatMap(({ path, items }) =>
    items.map((job) => {
      const repository = repositoryOf(job)
      if (repository === null) throw fileError(path, `a "url" of GitHub's API in job ${job.id}`, 'none')
      return jobFactOf(job, repository, at)
    }),
  )
  // A file has the jobs of the runs that somebody asked for, and nobody knows of the others.
  const others: Unread = {
    what: 'jobs of other runs',
    why: files.length === 0 ? 'no file was given' : 'the files do not have them',
    needs: 'a credential of the forge, or --github-jobs-json <file>',
  }
  return {
    listing: {
      source,
      at,
      items: items.filter(({ repository }) => wanted === null || wanted.has(repository.toLowerCase())),
      unread: [...read.flatMap((file) => missingPages('jobs', file)), others],
    },
    bytes: sumOf(read),
  }
}

interface FileRead {
  readonly path: string
  readonly items: readonly unknown[]
  readonly countedAtForge: number | null
  readonly bytes: number
}

function missingPages(what: string, { path, items, countedAtForge }: FileRead): Unread[] {
  if (countedAtForge !== null && items.length >= countedAtForge) return []
  const why =
    countedAtForge === null
      ? `it does not say how many there are ("total_count")`
      : `the forge counted ${countedAtForge}, it has ${items.length}`
  return [{ what: `${what} that are not in ${path}`, why, needs: 'gh api --paginate' }]
}

function sumOf(files: readonly FileRead[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}
