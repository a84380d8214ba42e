import { type Context, Hono } from 'hono'
import {
  defaultBranch,
  defaultEvent,
  developerLogin,
  headSha,
  type Reads,
  type Repository,
  type Run,
  type RunStatus,
  runPayload,
  workflowPayload,
} from '../core/index.ts'
import { idParam, notFound } from './answers.ts'
import { dateRange } from './date-range.ts'
import type { Engine } from './engine.ts'
import { page } from './pages.ts'
import { repositoryAt } from './run-parameters.ts'

/** GitHub shows no more of a list that is searched, whatever its `total_count` says. */
const searchedMax = 1_000
const filters = ['actor', 'branch', 'event', 'status', 'created', 'check_suite_id', 'head_sha'] as const

type ShownRun = Run & RunStatus

export interface RunListParts {
  readonly engine: Engine
  readonly read: () => Reads
  /** The view that a search reads, which may lag behind all others. */
  readonly search: () => Reads
}

/** Lists of runs, of a repository or of one of its workflows, and the workflows themselves. */
export function runListRoutes({ engine, read, search }: RunListParts): Hono {
  const app = new Hono()
  const { links } = engine.core
  const list = (c: Context, repository: Repository, isMeant: (run: ShownRun) => boolean): Response => {
    const isSearched = filters.some((name) => c.req.query(name) !== undefined)
    const reads = isSearched ? search() : read()
    const matches = matcher(c, engine)
    const found = reads
      .runs(repository.fullName)
      .filter((run) => isMeant(run) && matches(run))
      .toReversed()
    const reachable = isSearched ? found.slice(0, searchedMax) : found
    const shown = page(c, reachable).map((run) => shownRun(engine, run, repository))
    return c.json({ total_count: found.length, workflow_runs: shown })
  }
  const workflows = (repository: Repository) => {
    const byName = new Map(
      read()
        .runs(repository.fullName)
        .map((run) => [run.name, run]),
    )
    return [...byName.values()].map((run) => workflowPayload(run, links))
  }

  app.get('/repos/:owner/:repo/actions/runs', (c) => {
    const repository = repositoryAt(engine, c)
    return repository === null ? notFound(c) : list(c, repository, () => true)
  })
  app.get('/repos/:owner/:repo/actions/workflows', (c) => {
    const repository = repositoryAt(engine, c)
    if (repository === null) return notFound(c)
    const found = workflows(repository)
    return c.json({ total_count: found.length, workflows: page(c, found) })
  })
  const workflowAt = (c: Context) => {
    const repository = repositoryAt(engine, c)
    const found = repository === null ? [] : workflows(repository)
    const workflow = found.find(({ id }) => id === idParam(c, 'workflow'))
    return repository === null || workflow === undefined ? null : { repository, workflow }
  }
  app.get('/repos/:owner/:repo/actions/workflows/:workflow', (c) => {
    const known = workflowAt(c)
    return known === null ? notFound(c) : c.json(known.workflow)
  })
  app.get('/repos/:owner/:repo/actions/workflows/:workflow/runs', (c) => {
    const known = workflowAt(c)
    if (known === null) return notFound(c)
    return list(c, known.repository, ({ name }) => name === known.workflow.name)
  })
  return app
}

/** A run as the API shows it. */
export function shownRun({ core }: Engine, run: ShownRun, repository: Repository) {
  return runPayload(run, run.status, run.conclusion, repository, core.links)
}

/** Whether a run is what was asked for. */
function matcher(c: Context, { core }: Engine): (run: ShownRun) => boolean {
  const { status, created, actor, branch, event, head_sha: sha, check_suite_id: suite } = c.req.query()
  // As GitHub: a time that it cannot read finds nothing, and is no error.
  const isCreatedThen = created === undefined ? () => true : dateRange(created)
  const aheadMs = core.links.aheadMs?.() ?? 0
  const is = (asked: string | undefined, value: string) => asked === undefined || asked === value
  return (run) =>
    (status === undefined || run.status === status || run.conclusion === status) &&
    (isCreatedThen?.(wholeSeconds(run.createdAt + aheadMs)) ?? false) &&
    is(actor, run.actor ?? developerLogin) &&
    is(branch, run.branch ?? defaultBranch) &&
    is(event, run.event ?? defaultEvent) &&
    is(sha, headSha(run.id)) &&
    is(suite, String(run.id))
}

/** Times are known to the second, as they are shown. */
function wholeSeconds(at: number): number {
  return Math.floor(at / 1000) * 1000
}
