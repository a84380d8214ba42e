import type { z } from 'zod'
import type { JobEvent } from '../../domain/job-event/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { JobsAsked, ListedJobs } from '../../ports/forge.ts'
import { mapBounded } from '../forge-http/index.ts'
import { isNotShown, readAll, readArray, readPage, unexpected } from './answers.ts'
import { type Call, unavailable } from './call.ts'
import { isForRunners, jobEventOf, repositoryOf } from './job-event.ts'
import type { Numbers } from './numbers.ts'
import { repositoryPath } from './registration-path.ts'
import { type GiteaJob, jobSchema, repositorySchema, runSchema } from './schemas.ts'
import type { Versions } from './version.ts'

/** The bound of pages with newer runs: 5,000 runs at 50 on a page. */
const runPagesMax = 100
/** The prefix under which an administrator finds the jobs of all repositories. */
export const everywhere = '/admin'
/** The tolerance between the ledger's clock and ours. */
const clocksApartMsMax = 5_000

/**
 * Lists the open jobs and those of newer runs that ended: of the whole instance where the token is an administrator's,
 * else of every repository that it may manage. A run that vanishes while the list is read was deleted; a repository
 * that is hidden now is reported. Any other part that cannot be read fails the whole.
 */
export async function listJobs(
  call: Call,
  asked: JobsAsked,
  numbers: Numbers,
  versions: Versions,
  now: Instant,
  signal: AbortSignal,
): Promise<ListedJobs> {
  const { counting } = await versions.read(signal)
  const prefixes = await prefixesToRead(call, signal)
  const parts = await mapBounded(prefixes, (prefix) => jobsIn(call, prefix, asked, signal))
  // Ended jobs were read after open ones, so they are newer.
  const newest = new Map(parts.flatMap(({ jobs }) => jobs).map((job) => [job.id, job]))
  const events: JobEvent[] = []
  for (const job of [...newest.values()].filter(isForRunners)) {
    const repository = repositoryOf(job.url)
    if (repository === null) throw unavailable('GET jobs', `it gave a job of no repository: ${job.url}`)
    const numbered = await numbers.ofListed(job, counting, now - clocksApartMsMax)
    events.push(jobEventOf(job, { installation: asked.installation, repository, ...numbered }))
  }
  const notCovered = [...new Set(parts.flatMap((part) => part.notCovered))]
  return {
    events,
    notCovered,
    read: readAmong(asked, prefixes, notCovered),
    runsGone: parts.reduce((sum, part) => sum + part.runsGone, 0),
  }
}

/** The repositories that were held back and have been read now. */
function readAmong(
  { heldBack = new Map() }: JobsAsked,
  prefixes: readonly string[],
  notCovered: readonly string[],
): readonly string[] {
  const closed = new Set(notCovered.map((each) => each.toLowerCase()))
  const listed = new Set(prefixes.map((prefix) => prefix.toLowerCase()))
  return [...heldBack.keys()].filter(
    (each) => !closed.has(each) && (listed.has(everywhere) || listed.has(repositoryPath(each).toLowerCase())),
  )
}

async function prefixesToRead(call: Call, signal: AbortSignal): Promise<readonly string[]> {
  if (await isAdministrator(call, signal)) return [everywhere]
  return (await managedRepositories(call, signal)).map(repositoryPath)
}

/** Whether the token sees the whole instance. */
export async function isAdministrator(call: Call, signal: AbortSignal): Promise<boolean> {
  const path = `${everywhere}/actions/jobs`
  const answer = await call.rest('GET', `${path}?limit=1`, signal)
  if (answer.status === 200) return true
  if (answer.status !== 403 && answer.status !== 404) throw unexpected(answer, `GET ${path}`)
  return false
}

/** The repositories with Actions that the token's user administers. */
export async function managedRepositories(call: Call, signal: AbortSignal): Promise<readonly string[]> {
  const repositories = await readArray(call, '/user/repos', repositorySchema, signal)
  return repositories
    .filter(({ has_actions, permissions }) => has_actions && permissions?.admin === true)
    .map(({ full_name }) => full_name)
}

/** The list of jobs that are not over, below a prefix. */
export const openJobs = '/actions/jobs?status=queued&status=in_progress'

interface Part {
  readonly jobs: readonly GiteaJob[]
  readonly notCovered: readonly string[]
  readonly runsGone: number
}

async function jobsIn(call: Call, prefix: string, asked: JobsAsked, signal: AbortSignal): Promise<Part> {
  const open = await readAll(call, `${prefix}${openJobs}`, 'jobs', jobSchema, signal)
  const ended = (await runsOverSince(call, prefix, asked, signal)).filter((run) => isWanted(run, asked))
  const reads = await mapBounded(ended, (run) => jobsOfRun(call, run, jobSchema, signal))
  return {
    jobs: [...open, ...reads.flatMap((read) => (read.kind === 'jobs' ? read.jobs : []))],
    notCovered: reads.flatMap((read) => (read.kind === 'closed' ? [read.repository] : [])),
    runsGone: reads.filter(({ kind }) => kind === 'gone').length,
  }
}

type RunRead<Job> =
  | { readonly kind: 'jobs'; readonly jobs: readonly Job[] }
  | { readonly kind: 'gone' }
  | { readonly kind: 'closed'; readonly repository: string }

/** A run of a repository that was held back is never settled. */
function isWanted({ id, url }: Run, { settledRuns, heldBack }: JobsAsked): boolean {
  return !settledRuns.has(id) || heldBack?.has(repositoryOf(url)?.toLowerCase() ?? '') === true
}

/** The jobs of a run, with the fields of the schema. */
export async function jobsOfRun<Job extends GiteaJob>(
  call: Call,
  { id, url }: Run,
  schema: z.ZodType<Job>,
  signal: AbortSignal,
): Promise<RunRead<Job>> {
  const repository = repositoryOf(url)
  if (repository === null) throw unavailable('GET runs', `it gave a run of no repository: ${url}`)
  const runs = `${repositoryPath(repository)}/actions/runs`
  try {
    return { kind: 'jobs', jobs: await readAll(call, `${runs}/${id}/jobs`, 'jobs', schema, signal) }
  } catch (error) {
    if (!isNotShown(error)) throw error
  }
  // Gitea answers 404 also where it denies access: only where the list of runs can be read is one of them gone.
  const { status } = await call.rest('GET', `${runs}?limit=1`, signal)
  return status === 200 ? { kind: 'gone' } : { kind: 'closed', repository }
}

interface Run {
  readonly id: number
  readonly url: string
}

/**
 * Gitea lists runs newest first without a filter by time, so pages are read until one has nothing newer. A run that is
 * rerun keeps its position: its jobs are listed while they are open, and read one by one after that.
 */
export async function runsOverSince(
  call: Call,
  prefix: string,
  { since, heldBack = new Map() }: Pick<JobsAsked, 'since' | 'heldBack'>,
  signal: AbortSignal,
): Promise<readonly Run[]> {
  const over = new Map<number, Run>()
  const sinceOf = ({ url }: Run) => heldBack.get(repositoryOf(url)?.toLowerCase() ?? '') ?? since
  const earliest = Math.min(since, ...heldBack.values())
  for (let page = 1; page <= runPagesMax; page += 1) {
    const { items } = await readPage(call, `${prefix}/actions/runs`, 'workflow_runs', runSchema, page, signal)
    const isOver = ({ status }: (typeof items)[number]) => status === 'completed'
    const endedAt = (run: (typeof items)[number]) => Date.parse(run.completed_at ?? '')
    for (const run of items) if (isOver(run) && endedAt(run) >= sinceOf(run)) over.set(run.id, run)
    const isPastAll = items.every((run) => isOver(run) && !(endedAt(run) >= earliest))
    if (items.length === 0 || isPastAll) break
  }
  return [...over.values()]
}
