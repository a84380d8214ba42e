import type { Hono } from 'hono'
import {
  iso,
  type JobList,
  type JobQuery,
  jobFile,
  jobQuerySchema,
  jobSummary,
  type ReleaseAnswer,
  unreadableJobView,
  whyAnswer,
} from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { attentionRank } from '../../domain/job/index.ts'
import { pointCursors } from '../../domain/queue/index.ts'
import type { JobConditions, JobFilter } from '../../ports/ledger.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead, maySeePrivate, mayWrite } from '../request/access.ts'
import { findJobFile, findJobId } from '../request/find-job.ts'
import { parseQuery } from '../request/parse.ts'
import { withholdLogs } from '../request/withhold-logs.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'about' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** Reachability is not stored: up to this many queued jobs, the newest, are searched for unreachable ones. */
const searchedMax = 10_000

/** Totals are counted up to this number. */
const countedMax = 10_000

const none = { rows: [], unreadable: [] }

/** Jobs, one job's file, why it waits, and the release of a quarantine. */
export function jobRoutes(app: Hono, deps: Deps): void {
  const { ledger } = deps
  const served = deps.about.installation

  app.get('/v1/jobs', mayRead(deps), async (context) => {
    const query = parseQuery(context, jobQuerySchema)
    const answer = query.unreachable ? listUnreachable : list
    return context.json((await answer(query, ledger, served)) satisfies JobList)
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

async function list(query: JobQuery, ledger: Deps['ledger'], served: string): Promise<JobList> {
  const { order, cursor: after, limit } = query
  const conditions = conditionsOf(query)
  const [now, incidents, { rows, unreadable }, total] = await Promise.all([
    ledger.now(),
    ledger.incidents(0),
    ledger.jobs({ ...conditions, order, after, limit }),
    ledger.countJobs(conditions, countedMax),
  ])
  const last = rows.length + unreadable.length < limit ? undefined : rows.at(-1)
  return {
    at: iso(now),
    jobs: rows.map((row) => jobSummary(row, incidents, served)),
    unreadable: unreadable.map(unreadableJobView),
    total,
    isTotalExact: total < countedMax,
    next: last === undefined ? null : `${attentionRank(last)}.${last.id}`,
  }
}

/** Only queued jobs can be unreachable. */
async function listUnreachable(query: JobQuery, ledger: Deps['ledger'], served: string): Promise<JobList> {
  const isAsked = query.state === undefined || query.state.includes('queued')
  const filter: JobFilter = {
    ...conditionsOf(query),
    standings: undefined,
    states: ['queued'],
    order: query.order,
    limit: searchedMax,
  }
  const [now, incidents, { rows, unreadable }] = await Promise.all([
    ledger.now(),
    ledger.incidents(0),
    isAsked ? ledger.jobs(filter) : none,
  ])
  const found = rows.map((row) => jobSummary(row, incidents, served)).filter(({ reach }) => reach !== null)
  return {
    at: iso(now),
    jobs: found.slice(0, query.limit),
    unreadable: unreadable.map(unreadableJobView),
    total: found.length,
    isTotalExact: rows.length < searchedMax,
    next: null,
  }
}

function conditionsOf({ state, repository, pool, label, since, outcome }: JobQuery): JobConditions {
  return { standings: state, repository, pool, labels: label, withinMs: since, outcomes: outcome }
}
