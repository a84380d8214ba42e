import { type Context, Hono } from 'hono'
import {
  annotationPayload,
  type Job,
  jobPayload,
  type Reads,
  type Rerun,
  type RerunChoice,
  type Run,
} from '../core/index.ts'
import { notFound, refuse } from './answers.ts'
import type { Engine } from './engine.ts'
import { page } from './pages.ts'
import { shownRun } from './run-lists.ts'
import { jobAt, repositoryAt, runAt } from './run-parameters.ts'

export interface RunParts {
  readonly engine: Engine
  /** The read-only routes of runs and jobs. */
  readonly read: () => Reads
  /** Where a job's log can be read for a short time, without a token. */
  readonly logAddress: (jobId: number) => string
}

/** GitHub's words for what is not run again. */
const notAgain = {
  running: 'This workflow is already running',
  nothing: 'This workflow run cannot be retried',
  'old-attempt': 'Only jobs from the current attempt can be re-run',
} as const satisfies Partial<Record<Rerun, string>>

/** Runs and jobs over the API: reading, cancelling, and running again. */
export function runRoutes({ engine, read, logAddress }: RunParts): Hono {
  const app = new Hono()
  const truth = () => engine.run((core) => core)
  const runs = '/repos/:owner/:repo/actions/runs'
  const jobs = '/repos/:owner/:repo/actions/jobs'

  for (const path of [`${runs}/:id`, `${runs}/:id/attempts/:attempt`]) {
    app.get(path, (c) => {
      const repository = repositoryAt(engine, c)
      const run = runAt(read(), c)
      return run === null || repository === null ? notFound(c) : c.json(shownRun(engine, run, repository))
    })
    app.get(`${path}/jobs`, (c) => {
      const reads = read()
      const run = runAt(reads, c)
      if (run === null) return notFound(c)
      const isAll = c.req.query('filter') === 'all' && c.req.param('attempt') === undefined
      const found = reads.jobsOf(run.id, isAll ? undefined : run.attempt)
      const shown = page(c, found).map((job) => shownJob(engine, job))
      return c.json({ total_count: found.length, jobs: shown })
    })
  }

  app.get(`${runs}/:id/timing`, (c) => {
    const reads = read()
    const run = runAt(reads, c)
    return run === null ? notFound(c) : c.json(usageOf(run, reads.jobsOf(run.id, run.attempt)))
  })
  app.delete(`${runs}/:id`, (c) => {
    const run = runAt(truth(), c)
    if (run === null) return notFound(c)
    const outcome = engine.run((core, now) => core.deleteRun(run.id, now))
    return outcome === 'running' ? refuse(c, 403, 'Could not delete the workflow run') : c.body(null, 204)
  })

  for (const verb of ['cancel', 'force-cancel']) {
    app.post(`${runs}/:id/${verb}`, (c) => {
      const run = runAt(truth(), c)
      if (run === null) return notFound(c)
      const outcome = engine.run((core, now) => core.cancelRun(run.id, now, verb === 'force-cancel'))
      const isOver = outcome === 'over'
      return isOver ? refuse(c, 409, 'Cannot cancel a workflow run that is completed.') : c.json({}, 202)
    })
  }

  const again = (c: Context, run: Run | null, what: RerunChoice): Response => {
    if (run === null) return notFound(c)
    const outcome = engine.run((core, now) => core.rerun(run.id, what, now))
    const why = outcome in notAgain ? notAgain[outcome as keyof typeof notAgain] : null
    return why === null ? c.json({}, 201) : refuse(c, 403, why)
  }
  app.post(`${runs}/:id/rerun`, (c) => again(c, runAt(truth(), c), 'all'))
  app.post(`${runs}/:id/rerun-failed-jobs`, (c) => again(c, runAt(truth(), c), 'failed'))
  app.post(`${jobs}/:id/rerun`, (c) => {
    const job = jobAt(truth(), c)
    return again(c, job && engine.core.run(job.runId), { jobId: job?.id ?? 0 })
  })

  app.get(`${jobs}/:id`, (c) => {
    const job = jobAt(read(), c)
    return job === null ? notFound(c) : c.json(shownJob(engine, job))
  })
  app.get(`${jobs}/:id/logs`, (c) => {
    const job = jobAt(read(), c)
    // GitHub has a job's log once the job is over.
    if (job === null || job.status !== 'completed') return notFound(c)
    return c.body(null, 302, { location: logAddress(job.id) })
  })
  app.get('/repos/:owner/:repo/check-runs/:id/annotations', (c) => {
    const job = jobAt(read(), c)
    if (job === null) return notFound(c)
    const { links } = engine.core
    return c.json(page(c, job.annotations).map((message) => annotationPayload(message, job, links)))
  })
  return app
}

/** The usage of a run: self-hosted runners cost nothing, so it has only the duration. */
function usageOf(run: Run, jobs: readonly Job[]) {
  const ends = jobs.map((job) => job.completedAt ?? run.updatedAt)
  const begunAt = run.begunAgainAt?.at(-1) ?? run.createdAt
  return { billable: {}, run_duration_ms: Math.max(0, ...ends.map((at) => at - begunAt)) }
}

function shownJob({ core }: Engine, job: Job) {
  return jobPayload(job, core.run(job.runId)?.name ?? '', core.links)
}
