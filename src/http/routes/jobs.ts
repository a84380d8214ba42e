import type { Hono } from 'hono'
import {
  iso,
  type JobList,
  type JobSummary,
  jobFile,
  jobQuerySchema,
  jobSummary,
  type ReleaseAnswer,
  unreadableJobView,
  whyAnswer,
} from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { JobState } from '../../domain/job/index.ts'
import { pointCursors } from '../../domain/queue/index.ts'
import type { JobFilter } from '../../ports/ledger.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead, maySeePrivate, mayWrite } from '../request/access.ts'
import { findJobFile, findJobId } from '../request/find-job.ts'
import { parseQuery } from '../request/parse.ts'
import { withholdLogs } from '../request/withhold-logs.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'about' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** Whether a job is in reach is not stored: so many queued jobs, the newest, are looked through for those that are not. */
const lookedThroughMax = 10_000

const none = { rows: [], unreadable: [] }

/** Jobs, one job's file, why it waits, and the release of a quarantine. */
export function jobRoutes(app: Hono, deps: Deps): void {
  const { ledger } = deps
  const served = deps.about.installation

  app.get('/v1/jobs', mayRead(deps), async (context) => {
    const { state, repository, unreachable, limit } = parseQuery(context, jobQuerySchema)
    const filter: JobFilter = {
      limit: unreachable ? lookedThroughMax : limit,
      ...statesOf(state, unreachable),
      ...(repository === undefined ? {} : { repository }),
    }
    const [now, incidents, { rows, unreadable }] = await Promise.all([
      ledger.now(),
      ledger.incidents(0),
      filter.states?.length === 0 ? none : ledger.jobs(filter),
    ])
    const jobs = rows.map((row) => jobSummary(row, incidents, served))
    const shown = unreachable ? jobs.filter(isOutOfReach).slice(0, limit) : jobs
    return context.json({
      at: iso(now),
      jobs: shown,
      unreadable: unreadable.map(unreadableJobView),
    } satisfies JobList)
  })

  app.get('/v1/jobs/:job', mayRead(deps), async (context) => {
    const [now, incidents, file] = await Promise.all([
      ledger.now(),
      ledger.incidents(0),
      findJobFile(context.req.param('job'), ledger),
    ])
    const answer = jobFile(file, now, incidents, served)
    return context.json(maySeePrivate(context, deps) ? answer : withholdLogs(answer))
  })

  app.get('/v1/jobs/:job/why', mayRead(deps), async (context) => {
    const name = context.req.param('job')
    const [incidents, points, facts] = await Promise.all([
      ledger.incidents(0),
      ledger.cursors(pointCursors),
      findJobId(name, ledger).then((id) => ledger.queueFacts(id)),
    ])
    if (facts === null) throw new HoldfastError('E_JOB_UNKNOWN', { job: name })
    return context.json(whyAnswer(facts, incidents, served, points))
  })

  app.post('/v1/jobs/:job/release', mayWrite(deps), async (context) => {
    const name = context.req.param('job')
    const { job } = await findJobFile(name, ledger)
    if ((await ledger.release(job.id, { source: 'operator' })) === 'refused') {
      throw new HoldfastError('E_RELEASE_REFUSED', { job: name, state: job.state })
    }
    return context.json({ released: true, job: job.id } satisfies ReleaseAnswer)
  })
}

/** Only what is queued can be out of reach. */
function statesOf(state: readonly JobState[] | undefined, unreachable: boolean): Pick<JobFilter, 'states'> {
  if (!unreachable) return state === undefined ? {} : { states: state }
  return { states: state === undefined || state.includes('queued') ? ['queued'] : [] }
}

function isOutOfReach({ reach }: JobSummary): boolean {
  return reach !== null
}
