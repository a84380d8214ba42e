import type { ForgeWord } from '../../domain/binding/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { JobsAsked, ListedJobs } from '../../ports/forge.ts'
import { isNotShown, readAll, readArray, readPage, unexpected } from './answers.ts'
import { type Call, unavailable } from './call.ts'
import type { Numbers } from './numbers.ts'
import { repositoryPath } from './places.ts'
import { type GiteaJob, jobSchema, repositorySchema, runSchema } from './schemas.ts'
import type { Versions } from './version.ts'
import { isForRunners, repositoryOf, wordOf } from './word.ts'

/** How many repositories and runs are asked about at the same time. */
const AT_ONCE_MAX = 4
/** Newer runs than these, 5,000 at 50 on a page, are not looked through for ends. */
const RUN_PAGES_MAX = 100
/** Where an administrator finds the jobs of all repositories. */
const everywhere = '/admin'
/** By so much the ledger's clock may differ from ours. */
const CLOCKS_APART_MS_MAX = 5_000

/**
 * The open jobs, and those of newer runs that are over: of the whole instance where the token is an administrator's,
 * else of every repository that it may manage. A run that is gone by the time its jobs are asked for was deleted; a
 * repository that is not shown any more is named. Any other part that cannot be read fails the whole.
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
  const places = await placesToRead(call, signal)
  const parts = await inTurns(places, (place) => jobsIn(call, place, asked, signal))
  // What was read as over is newer than what was read as open before it.
  const newest = new Map(parts.flatMap(({ jobs }) => jobs).map((job) => [job.id, job]))
  const words: ForgeWord[] = []
  for (const job of [...newest.values()].filter(isForRunners)) {
    const repository = repositoryOf(job.url)
    if (repository === null) throw unavailable('GET jobs', `it gave a job of no repository: ${job.url}`)
    const numbered = await numbers.ofListed(job, counting, now - CLOCKS_APART_MS_MAX)
    words.push(wordOf(job, { installation: asked.installation, repository, ...numbered }))
  }
  const notCovered = [...new Set(parts.flatMap((part) => part.notCovered))]
  return {
    ...{ words, notCovered, read: readAmong(asked, places, notCovered) },
    runsGone: parts.reduce((sum, part) => sum + part.runsGone, 0),
  }
}

/** Of the repositories that were held back, those that have been read now. */
function readAmong(
  { heldBack = new Map() }: JobsAsked,
  places: readonly string[],
  notCovered: readonly string[],
): readonly string[] {
  const closed = new Set(notCovered.map((each) => each.toLowerCase()))
  const listed = new Set(places.map((place) => place.toLowerCase()))
  return [...heldBack.keys()].filter(
    (each) => !closed.has(each) && (listed.has(everywhere) || listed.has(repositoryPath(each).toLowerCase())),
  )
}

async function placesToRead(call: Call, signal: AbortSignal): Promise<readonly string[]> {
  const path = '/admin/actions/jobs'
  const asAdministrator = await call.rest('GET', `${path}?limit=1`, signal)
  if (asAdministrator.status === 200) return [everywhere]
  if (asAdministrator.status !== 403 && asAdministrator.status !== 404) {
    throw unexpected(asAdministrator, `GET ${path}`)
  }
  const repositories = await readArray(call, '/user/repos', repositorySchema, signal)
  return repositories
    .filter(({ has_actions, permissions }) => has_actions && permissions?.admin === true)
    .map(({ full_name }) => repositoryPath(full_name))
}

interface Part {
  readonly jobs: readonly GiteaJob[]
  readonly notCovered: readonly string[]
  readonly runsGone: number
}

async function jobsIn(call: Call, place: string, asked: JobsAsked, signal: AbortSignal): Promise<Part> {
  const openPath = `${place}/actions/jobs?status=queued&status=in_progress`
  const open = await readAll(call, openPath, 'jobs', jobSchema, signal)
  const ended = (await runsOverSince(call, place, asked, signal)).filter((run) => isWanted(run, asked))
  const reads = await inTurns(ended, (run) => jobsOfRun(call, run, signal))
  return {
    jobs: [...open, ...reads.flatMap((read) => (read.kind === 'jobs' ? read.jobs : []))],
    notCovered: reads.flatMap((read) => (read.kind === 'closed' ? [read.repository] : [])),
    runsGone: reads.filter(({ kind }) => kind === 'gone').length,
  }
}

type RunRead =
  | { readonly kind: 'jobs'; readonly jobs: readonly GiteaJob[] }
  | { readonly kind: 'gone' }
  | { readonly kind: 'closed'; readonly repository: string }

/** A run of a repository that was held back is never settled. */
function isWanted({ id, url }: Run, { settledRuns, heldBack }: JobsAsked): boolean {
  return !settledRuns.has(id) || heldBack?.has(repositoryOf(url)?.toLowerCase() ?? '') === true
}

async function jobsOfRun(call: Call, { id, url }: Run, signal: AbortSignal): Promise<RunRead> {
  const repository = repositoryOf(url)
  if (repository === null) throw unavailable('GET runs', `it gave a run of no repository: ${url}`)
  const runs = `${repositoryPath(repository)}/actions/runs`
  try {
    return { kind: 'jobs', jobs: await readAll(call, `${runs}/${id}/jobs`, 'jobs', jobSchema, signal) }
  } catch (error) {
    if (!isNotShown(error)) throw error
  }
  // Gitea answers 404 also for what it does not show us any more: only where its runs still are, one of them is gone.
  const { status } = await call.rest('GET', `${runs}?limit=1`, signal)
  return status === 200 ? { kind: 'gone' } : { kind: 'closed', repository }
}

interface Run {
  readonly id: number
  readonly url: string
}

/**
 * Gitea gives runs newest first and cannot be asked since when, so pages are read until one has nothing newer. A run
 * that is run again keeps its old place: its jobs are seen while they are open, and asked about one by one after.
 */
async function runsOverSince(
  call: Call,
  place: string,
  { since, heldBack = new Map() }: JobsAsked,
  signal: AbortSignal,
): Promise<readonly Run[]> {
  const over = new Map<number, Run>()
  const sinceOf = ({ url }: Run) => heldBack.get(repositoryOf(url)?.toLowerCase() ?? '') ?? since
  const earliest = Math.min(since, ...heldBack.values())
  for (let page = 1; page <= RUN_PAGES_MAX; page += 1) {
    const { items } = await readPage(call, `${place}/actions/runs`, 'workflow_runs', runSchema, page, signal)
    const isOver = ({ status }: (typeof items)[number]) => status === 'completed'
    const endedAt = (run: (typeof items)[number]) => Date.parse(run.completed_at ?? '')
    for (const run of items) if (isOver(run) && endedAt(run) >= sinceOf(run)) over.set(run.id, run)
    const isPastAll = items.every((run) => isOver(run) && !(endedAt(run) >= earliest))
    if (items.length === 0 || isPastAll) break
  }
  return [...over.values()]
}

/** Works on a list, a few items at a time; the first failure fails all. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE_MAX) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE_MAX).map(work))))
  }
  return results
}
