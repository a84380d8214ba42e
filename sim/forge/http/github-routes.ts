import { type Context, Hono } from 'hono'
import { z } from 'zod'
import {
  annotationPayload,
  fullRepositoryPayload,
  type Job,
  jobPayload,
  type Run,
  repositoryPayload,
  runnerPayload,
  runPayload,
} from '../core/index.ts'
import { encodeJit } from '../jit.ts'
import { idParam, notFound, readOrder, refuse } from './answers.ts'
import type { Engine } from './engine.ts'
import { page } from './pages.ts'
import type { RateLimit } from './rate-limit.ts'

const NAME_LENGTH_MAX = 64
const LABELS_MAX = 100

const mintSchema = z.object({
  name: z.string().min(1).max(NAME_LENGTH_MAX),
  runner_group_id: z.int(),
  labels: z.array(z.string().min(1).max(256)).min(1).max(LABELS_MAX),
  work_folder: z.string().default('_work'),
})

export interface GitHubParts {
  readonly engine: Engine
  readonly rateLimit: RateLimit
  readonly url: string
}

/** GitHub's REST paths, as far as a runner fleet uses them. */
export function githubRoutes({ engine, rateLimit, url }: GitHubParts): Hono {
  const app = new Hono()
  const { links, delays } = engine.core

  app.get('/rate_limit', (c) => {
    const core = { ...rateLimit.budget(), resource: 'core' }
    return c.json({ resources: { core, search: core }, rate: core })
  })

  app.get('/installation/repositories', (c) => {
    const repositories = engine.run((core) => core.repositories())
    const shown = page(c, repositories).map((repository) => repositoryPayload(repository, links))
    return c.json({ total_count: repositories.length, repository_selection: 'all', repositories: shown })
  })

  app.get('/repos/:owner/:repo', (c) => {
    const repository = engine.run((core) => core.repository(repositoryOf(c)))
    return repository === null ? notFound(c) : c.json(fullRepositoryPayload(repository, links))
  })

  app.post('/repos/:owner/:repo/actions/runners/generate-jitconfig', async (c) => {
    const order = await readOrder(c, mintSchema)
    if (order instanceof Response) return order
    const { name, labels } = order
    const minted = engine.run((core, now) => core.mint({ repository: repositoryOf(c), name, labels }, now))
    if (minted.kind === 'no-repository') return notFound(c)
    if (minted.kind === 'name-taken') {
      return refuse(c, 409, `Already exists - A runner with the name "${name}" already exists.`)
    }
    const { renewEveryMs, pollHoldMs } = delays
    const encoded = encodeJit({ url, jit: minted.jit, name, renewEveryMs, pollHoldMs })
    return c.json({ runner: runnerPayload(minted.runner), encoded_jit_config: encoded }, 201)
  })

  app.get('/repos/:owner/:repo/actions/runners', (c) => {
    if (!exists(engine, c)) return notFound(c)
    const name = c.req.query('name')
    const runners = engine
      .run((core) => core.runners(repositoryOf(c)))
      .filter((runner) => name === undefined || runner.name === name)
    return c.json({ total_count: runners.length, runners: page(c, runners).map(runnerPayload) })
  })

  app.get('/repos/:owner/:repo/actions/runners/:id', (c) => {
    const id = idParam(c, 'id')
    const runner = engine.run((core) => core.runners(repositoryOf(c)).find((each) => each.id === id))
    return runner === undefined ? notFound(c) : c.json(runnerPayload(runner))
  })

  app.delete('/repos/:owner/:repo/actions/runners/:id', (c) => {
    const id = idParam(c, 'id')
    if (id === null) return notFound(c)
    const outcome = engine.run((core, now) => core.removeRunner(repositoryOf(c), id, now))
    if (outcome === 'absent') return notFound(c)
    if (outcome === 'busy') {
      return refuse(c, 422, `Bad request - Runner "${id}" is currently running a job and cannot be deleted.`)
    }
    return c.body(null, 204)
  })

  app.get('/repos/:owner/:repo/actions/jobs/:id', (c) => {
    const job = jobAt(engine, c)
    return job === null ? notFound(c) : c.json(shownJob(engine, job))
  })

  app.get('/repos/:owner/:repo/check-runs/:id/annotations', (c) => {
    const job = jobAt(engine, c)
    if (job === null) return notFound(c)
    return c.json(page(c, job.annotations).map((message) => annotationPayload(message, job, links)))
  })

  app.get('/repos/:owner/:repo/actions/runs', (c) => {
    const repository = engine.run((core) => core.repository(repositoryOf(c)))
    if (repository === null) return notFound(c)
    const status = c.req.query('status')
    const runs = engine.core
      .runs(repository.fullName)
      .filter((run) => status === undefined || run.status === status || run.conclusion === status)
      .toReversed()
    const shown = page(c, runs).map((run) => runPayload(run, run.status, run.conclusion, repository, links))
    return c.json({ total_count: runs.length, workflow_runs: shown })
  })

  app.get('/repos/:owner/:repo/actions/runs/:id/jobs', (c) => {
    const id = idParam(c, 'id')
    const run = engine.run((core) => (id === null ? null : core.run(id)))
    if (run === null || run.repository !== repositoryOf(c)) return notFound(c)
    const jobs = engine.core.jobsOf(run.id)
    return c.json({ total_count: jobs.length, jobs: page(c, jobs).map((job) => shownJob(engine, job)) })
  })

  return app
}

function repositoryOf(c: Context): string {
  return `${c.req.param('owner')}/${c.req.param('repo')}`
}

function exists(engine: Engine, c: Context): boolean {
  return engine.core.repository(repositoryOf(c)) !== null
}

function jobAt(engine: Engine, c: Context): Job | null {
  const id = idParam(c, 'id')
  const job = engine.run((core) => (id === null ? null : core.job(id)))
  return job?.repository === repositoryOf(c) ? job : null
}

function shownJob({ core }: Engine, job: Job) {
  return jobPayload(job, core.run(job.runId) as Run, core.links)
}
