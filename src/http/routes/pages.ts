import { readFileSync } from 'node:fs'
import type { Context, Hono } from 'hono'
import { explainSubjectSchema, jobFile, whyAnswer } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { explainSubject, rememberJobs } from '../../explain/index.ts'
import type { HttpDeps } from '../deps.ts'
import { explainPage } from '../pages/explain.ts'
import { jobPage } from '../pages/job.ts'
import { pagePolicy } from '../pages/layout.ts'
import { statusPage } from '../pages/status.ts'
import { readStatus } from '../pages/status-view.ts'
import { mayRead, maySeePrivate } from '../request/access.ts'
import { findJobId } from '../request/find-job.ts'
import { parsePart } from '../request/parse.ts'
import { withholdLogs } from '../request/withhold-logs.ts'

type Deps = Pick<
  HttpDeps,
  'about' | 'ledger' | 'forge' | 'clock' | 'operatorToken' | 'isLoopback' | 'publicUrl'
>

const assets = {
  'status.css': 'text/css; charset=utf-8',
  'status.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const

/** The status page and a page for each job and each death, rendered here; the browser needs no other origin. */
export function pageRoutes(app: Hono, deps: Deps): void {
  // A page refreshes every few seconds, and must not cost calls each time; foreign jobs are asked for by the API alone.
  const quietForge = { ...rememberJobs(deps.forge, deps.clock), readJob: async () => null }

  app.get('/', mayRead(deps), async (context) => {
    return page(context, statusPage(deps.about, await readStatus(deps.ledger, deps.about.installation)))
  })

  app.get('/jobs/:job', mayRead(deps), async (context) => {
    const text = context.req.param('job')
    const id = await findJobId(text, deps.ledger)
    const [now, incidents, file, facts] = await Promise.all([
      deps.ledger.now(),
      deps.ledger.incidents(0),
      deps.ledger.jobFile(id),
      deps.ledger.queueFacts(id),
    ])
    if (file === null) throw new HoldfastError('E_JOB_UNKNOWN', { job: text })
    const why = facts === null ? null : whyAnswer(facts, incidents, deps.about.installation)
    const view = jobFile(file, now, incidents, deps.about.installation)
    return page(context, jobPage(deps.about, maySeePrivate(context, deps) ? view : withholdLogs(view), why))
  })

  app.get('/explain/:subject', mayRead(deps), async (context) => {
    const asked = parsePart(context.req.param('subject'), explainSubjectSchema)
    const { installation, forge } = deps.about
    const served = { installation, kind: forge.kind }
    const from = { ledger: deps.ledger, forge: quietForge, clock: deps.clock, served }
    const explanation = await explainSubject(asked, from, context.req.raw.signal)
    const shown = maySeePrivate(context, deps) ? explanation : withholdLogs(explanation)
    return page(context, explainPage(deps.about, shown))
  })

  for (const [name, type] of Object.entries(assets)) {
    const content = readFileSync(new URL(`../pages/${name}`, import.meta.url), 'utf8')
    app.get(`/assets/${name}`, (context) => context.body(content, 200, { 'content-type': type }))
  }
}

function page(context: Context, markup: Parameters<Context['html']>[0]): Response | Promise<Response> {
  context.header('content-security-policy', pagePolicy)
  return context.html(markup)
}
