import type { Hono } from 'hono'
import {
  iso,
  type JobList,
  jobFile,
  jobQuerySchema,
  jobSummary,
  type ReleaseAnswer,
  whyAnswer,
} from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { JobFilter } from '../../ports/ledger.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead, mayWrite } from '../request/access.ts'
import { findJobId } from '../request/find-job.ts'
import { parseQuery } from '../request/parse.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'operatorToken' | 'isLoopback'>

/** Jobs, one job's file, why it waits, and the release of a quarantine. */
export function jobRoutes(app: Hono, deps: Deps): void {
  const { ledger } = deps

  app.get('/v1/jobs', mayRead(deps), async (context) => {
    const { state, repository, limit } = parseQuery(context, jobQuerySchema)
    const filter: JobFilter = {
      limit,
      ...(state === undefined ? {} : { states: state }),
      ...(repository === undefined ? {} : { repository }),
    }
    const [now, jobs] = await Promise.all([ledger.now(), ledger.jobs(filter)])
    return context.json({ at: iso(now), jobs: jobs.map(jobSummary) } satisfies JobList)
  })

  app.get('/v1/jobs/:job', mayRead(deps), async (context) => {
    const name = context.req.param('job')
    const id = await findJobId(name, ledger)
    const [now, file] = await Promise.all([ledger.now(), ledger.jobFile(id)])
    if (file === null) throw new HoldfastError('E_JOB_UNKNOWN', { job: name })
    return context.json(jobFile(file, now))
  })

  app.get('/v1/jobs/:job/why', mayRead(deps), async (context) => {
    const name = context.req.param('job')
    const facts = await ledger.queueFacts(await findJobId(name, ledger))
    if (facts === null) throw new HoldfastError('E_JOB_UNKNOWN', { job: name })
    return context.json(whyAnswer(facts))
  })

  app.post('/v1/jobs/:job/release', mayWrite(deps), async (context) => {
    const name = context.req.param('job')
    const id = await findJobId(name, ledger)
    const file = await ledger.jobFile(id)
    if (file === null) throw new HoldfastError('E_JOB_UNKNOWN', { job: name })
    if ((await ledger.release(id, { source: 'operator' })) === 'refused') {
      throw new HoldfastError('E_RELEASE_REFUSED', { job: name, state: file.job.state })
    }
    return context.json({ released: true, job: id } satisfies ReleaseAnswer)
  })
}
