import { Hono } from 'hono'
import { z } from 'zod'
import type { NewRun } from '../core/index.ts'
import { accountOrders, fullName, login } from './account-orders.ts'
import { idParam, notFound, readBody, refuse } from './answers.ts'
import type { Credentials } from './credentials.ts'
import type { Deliveries } from './deliver.ts'
import type { Engine } from './engine.ts'
import { type Faults, faultsSchema } from './faults.ts'
import type { JobLogs } from './job-logs.ts'
import { budgetSchema, type RateLimit } from './rate-limit.ts'
import { paceSchema, type SecondaryLimit } from './secondary-limit.ts'

const scriptLengthMax = 64 * 1024
const jobsARunMax = 256
const elsewhereMsMax = 24 * 60 * 60_000

const newJob = {
  name: z.string().min(1).max(200),
  /** None: it is for no runner of ours. */
  labels: z.array(z.string().min(1).max(256)).max(100),
  script: z.string().max(scriptLengthMax),
  environment: z.string().min(1).max(255).optional(),
  /** The forge's own runners run it, and need so long to begin and as long again to end. */
  elsewhereMs: z.int().min(1).max(elsewhereMsMax).optional(),
}
const key = z.string().min(1).max(100)
const plannedJob = z.strictObject({
  ...newJob,
  key: key.optional(),
  needs: z.array(key).max(jobsARunMax).optional(),
  when: z.enum(['success', 'failure', 'always']).optional(),
  matrix: z.record(key, z.array(z.string().min(1).max(100)).min(1).max(jobsARunMax)).optional(),
  failFast: z.boolean().optional(),
})
const workflow = z.string().min(1).max(200).default('simulated')

const jobSchema = z.strictObject({ repository: fullName, workflow, fork: fullName.optional(), ...newJob })
const runSchema = z.strictObject({
  repository: fullName,
  workflow,
  jobs: z
    .array(plannedJob)
    .min(1)
    .max(jobsARunMax)
    .refine(needsStandBefore, 'each job may need only jobs that stand before it')
    .refine((jobs) => jobCount(jobs) <= jobsARunMax, `with all matrices at most ${jobsARunMax} jobs`),
  event: key.optional(),
  branch: z.string().min(1).max(255).optional(),
  fork: fullName.optional(),
  actor: login.optional(),
  concurrency: z.strictObject({ group: key, cancelInProgress: z.boolean().default(false) }).optional(),
})

const reviewSchema = z.strictObject({ approved: z.boolean() })

export interface AdminParts {
  readonly engine: Engine
  readonly logs: JobLogs
  readonly deliveries: Deliveries
  readonly faults: Faults
  readonly rateLimit: RateLimit
  readonly secondaryLimit: SecondaryLimit
  readonly credentials: Credentials
}

/** Routes that no forge has: actions of people, faults on order, and the truth. */
export function adminRoutes(parts: AdminParts): Hono {
  const { engine, logs, deliveries, faults, rateLimit, secondaryLimit, credentials } = parts
  const app = new Hono()
  const submit = (given: NewRun) => {
    // People push to a renamed repository under its old name for long.
    const repository = engine.core.accounts.formerly(given.repository)?.fullName ?? given.repository
    const run = { ...given, repository }
    const { runId, jobIds } = engine.run((core, now) => core.submit(run, now))
    return { run_id: runId, job_ids: jobIds }
  }

  app.post('/jobs', async (c) => {
    const order = await readBody(c, jobSchema)
    if (order instanceof Response) return order
    const { repository, workflow: name, fork, ...job } = order
    const ids = submit({ repository, workflow: name, fork, jobs: [job] })
    return c.json({ id: ids.job_ids[0], ...ids }, 201)
  })

  app.post('/runs', async (c) => {
    const order = await readBody(c, runSchema)
    return order instanceof Response ? order : c.json(submit(order), 201)
  })

  app.get('/jobs', (c) => {
    const jobs = engine.run((core) => core.jobsEver())
    return c.json({ jobs: jobs.map(({ starts, ends, script, ...job }) => job) })
  })

  app.get('/jobs/:id/log', (c) => {
    const id = idParam(c, 'id')
    return id === null || engine.core.job(id) === null ? notFound(c) : c.text(logs.read(id))
  })

  app.post('/jobs/:id/cancel', (c) => {
    const outcome = engine.run((core, now) => core.cancel(idParam(c, 'id') ?? 0, now))
    if (outcome === 'absent') return notFound(c)
    return outcome === 'over' ? refuse(c, 409, 'The job is over.') : c.json({ outcome }, 202)
  })

  app.post('/runs/:id/review', async (c) => {
    const order = await readBody(c, reviewSchema)
    if (order instanceof Response) return order
    const id = idParam(c, 'id') ?? 0
    const pending = engine.core.pending(id).map((each) => each.id)
    const jobs = engine.run((core, now) => core.review(id, pending, order.approved, now))
    return jobs.length === 0 ? notFound(c) : c.json({ job_ids: jobs.map((job) => job.id) })
  })

  app.delete('/runs/:id', (c) => {
    const outcome = engine.run((core, now) => core.deleteRun(idParam(c, 'id') ?? 0, now))
    if (outcome === 'absent') return notFound(c)
    return outcome === 'running' ? refuse(c, 409, 'The run is under way.') : c.body(null, 204)
  })

  app.get('/truth', (c) => c.json(engine.run((core) => core.truth())))
  app.post('/ping', (c) => {
    const { url } = deliveries
    if (url === null) return refuse(c, 409, 'Webhooks are sent nowhere.')
    engine.run((core, now) => core.ping(url, null, now))
    return c.body(null, 202)
  })
  app.get('/deliveries', (c) => c.json({ failed: deliveries.failed() }))

  app.post('/rate-limit', async (c) => {
    const order = await readBody(c, budgetSchema)
    if (order instanceof Response) return order
    rateLimit.order(order)
    return c.json(rateLimit.least(), 201)
  })
  app.post('/pace', async (c) => {
    const order = await readBody(c, paceSchema)
    if (order instanceof Response) return order
    secondaryLimit.order(order)
    return c.json(order, 201)
  })
  app.delete('/tokens', (c) => {
    credentials.revoke()
    return c.body(null, 204)
  })
  app.route('/', accountOrders(engine))

  app.get('/faults', (c) => c.json(faults.left()))
  app.post('/faults', async (c) => {
    const order = await readBody(c, faultsSchema)
    if (order instanceof Response) return order
    if (faults.order(order) === 'too-many') return refuse(c, 409, 'Too many faults are ordered already.')
    engine.core.keepPast(faults.lagMsMax())
    return c.json(faults.left(), 201)
  })
  app.delete('/faults', (c) => {
    faults.clear()
    engine.core.keepPast(0)
    return c.body(null, 204)
  })
  return app
}

function needsStandBefore(jobs: readonly z.infer<typeof plannedJob>[]): boolean {
  const before = new Set<string>()
  return jobs.every((job) => {
    const isFine = (job.needs ?? []).every((needed) => before.has(needed))
    before.add(job.key ?? job.name)
    return isFine
  })
}

function jobCount(jobs: readonly z.infer<typeof plannedJob>[]): number {
  const sizes = jobs.map(({ matrix = {} }) =>
    Object.values(matrix).reduce((count, values) => count * values.length, 1),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
