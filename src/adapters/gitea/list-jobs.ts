import type { ForgeWord } from '../../domain/binding/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { JobsAsked, ListedJobs } from '../../ports/forge.ts'
import { readAll, readArray, readPage, unexpected } from './answers.ts'
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
/** By so much the ledger's clock may differ from ours. */
const CLOCKS_APART_MS_MAX = 5_000

/**
 * The open jobs, and those of newer runs that are over: of the whole instance where the token is an administrator's,
 * else of every repository that it may manage. One part that cannot be read fails the whole.
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
  const jobs = (await inTurns(places, (place) => jobsIn(call, place, asked, signal))).flat()
  // What was read as over is newer than what was read as open before it.
  const newest = new Map(jobs.map((job) => [job.id, job]))
  const words: ForgeWord[] = []
  for (const job of [...newest.values()].filter(isForRunners)) {
    const repository = repositoryOf(job.url)
    if (repository === null) throw unavailable('GET jobs', `it gave a job of no repository: ${job.url}`)
    const numbered = await numbers.ofListed(job, counting, now - CLOCKS_APART_MS_MAX)
    words.push(wordOf(job, { installation: asked.installation, repository, ...numbered }))
  }
  return { words, read: [], notCovered: [], runsGone: 0 }
}

async function placesToRead(call: Call, signal: AbortSignal): Promise<readonly string[]> {
  const path = '/admin/actions/jobs'
  const asAdministrator = await call.rest('GET', `${path}?limit=1`, signal)
  if (asAdministrator.status === 200) return ['/admin']
  if (asAdministrator.status !== 403 && asAdministrator.status !== 404) {
    throw unexpected(asAdministrator, `GET ${path}`)
  }
  const repositories = await readArray(call, '/user/repos', repositorySchema, signal)
  return repositories
    .filter(({ has_actions, permissions }) => has_actions && permissions?.admin === true)
    .map(({ full_name }) => repositoryPath(full_name))
}

async function jobsIn(
  call: Call,
  place: string,
  { since, settledRuns }: JobsAsked,
  signal: AbortSignal,
): Promise<readonly GiteaJob[]> {
  const openPath = `${place}/actions/jobs?status=queued&status=in_progress`
  const open = await readAll(call, openPath, 'jobs', jobSchema, signal)
  const ended = (await runsOverSince(call, place, since, signal)).filter(({ id }) => !settledRuns.has(id))
  const over = await inTurns(ended, ({ id, url }) => {
    const repository = repositoryOf(url)
    if (repository === null) throw unavailable('GET runs', `it gave a run of no repository: ${url}`)
    const path = `${repositoryPath(repository)}/actions/runs/${id}/jobs`
    return readAll(call, path, 'jobs', jobSchema, signal)
  })
  return [...open, ...over.flat()]
}

/**
 * Gitea gives runs newest first and cannot be asked since when, so pages are read until one has nothing newer. A run
 * that is run again keeps its old place: its jobs are seen while they are open, and asked about one by one after.
 */
async function runsOverSince(call: Call, place: string, since: number, signal: AbortSignal) {
  const over = new Map<number, { readonly id: number; readonly url: string }>()
  for (let page = 1; page <= RUN_PAGES_MAX; page += 1) {
    const { items } = await readPage(call, `${place}/actions/runs`, 'workflow_runs', runSchema, page, signal)
    const isOver = ({ status }: (typeof items)[number]) => status === 'completed'
    const newer = items.filter((run) => isOver(run) && Date.parse(run.completed_at ?? '') >= since)
    for (const run of newer) over.set(run.id, run)
    const isPastAll = items.every((run) => isOver(run) && !newer.includes(run))
    if (items.length === 0 || isPastAll) return [...over.values()]
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
