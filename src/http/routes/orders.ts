import type { Context, Hono } from 'hono'
import { logText, type Order, type OrderDone, rerunQuerySchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Job } from '../../domain/job/index.ts'
import { jobFields } from '../../domain/job/index.ts'
import type { ForgeScope, OrderAnswer } from '../../ports/forge.ts'
import type { JobFile } from '../../ports/ledger.ts'
import type { HttpDeps } from '../deps.ts'
import { mayReadPrivate, mayWrite } from '../request/access.ts'
import { findJobFile } from '../request/find-job.ts'
import { parseQuery } from '../request/parse.ts'

type Deps = Pick<
  HttpDeps,
  'ledger' | 'forge' | 'about' | 'log' | 'redactor' | 'operatorToken' | 'isLoopback' | 'publicUrl'
>

/** The rule name of an operator's orders among a job's decisions. */
const rule = 'operator'

/** Orders of an operator to the forge about one job: rerun it, cancel its run, read its log. */
export function orderRoutes(app: Hono, deps: Deps): void {
  const { ledger, forge } = deps

  app.post('/v1/jobs/:job/rerun', mayWrite(deps), async (context) => {
    const { failed } = parseQuery(context, rerunQuerySchema)
    const file = await findJobFile(context.req.param('job'), ledger)
    const { forgeJobId, runId } = file.job
    const { signal } = context.req.raw
    const answer = failed
      ? await forge.rerunFailedJobs(scopeOf(file.job, deps), runId, signal)
      : await forge.rerunJob(scopeOf(file.job, deps), forgeJobId, signal)
    return settle(context, failed ? 'rerun-failed' : 'rerun', file, answer, deps)
  })

  app.post('/v1/jobs/:job/cancel', mayWrite(deps), async (context) => {
    const file = await findJobFile(context.req.param('job'), ledger)
    const answer = await forge.cancelRun(scopeOf(file.job, deps), file.job.runId, context.req.raw.signal)
    return settle(context, 'cancel', file, answer, deps)
  })

  app.get('/v1/jobs/:job/log', mayReadPrivate(deps), async (context) => {
    const { job } = await findJobFile(context.req.param('job'), ledger)
    const log = await forge.readLog(scopeOf(job, deps), job.forgeJobId, context.req.raw.signal)
    if (log === null) throw new HoldfastError('E_LOG_ABSENT', { job: job.id })
    return context.text(logText(log, deps.redactor))
  })
}

const orderWords: Readonly<Record<Order, string>> = {
  rerun: 'run it again',
  'rerun-failed': 'run the failed jobs of its run again',
  cancel: 'cancel its run',
}

/** Only the job's own forge is asked: another may have a job of the same number. */
function scopeOf({ id, installation, repository }: Job, { about }: Deps): ForgeScope {
  const served = about.installation
  if (installation !== served)
    throw new HoldfastError('E_INSTALLATION_NOT_SERVED', { job: id, installation, served })
  return { installation, repository }
}

async function settle(
  context: Context,
  order: Order,
  file: JobFile,
  answer: OrderAnswer,
  deps: Deps,
): Promise<Response> {
  const { id, runId, repository, name } = file.job
  await record(order, file, answer, deps)
  if (answer.kind === 'done') {
    return context.json({ order, job: id, run: runId, repository, name } satisfies OrderDone)
  }
  const code = answer.kind === 'refused' ? 'E_ORDER_REFUSED' : 'E_ORDER_UNSUPPORTED'
  throw new HoldfastError(code, { order: orderWords[order], job: id, reason: answer.reason })
}

/** Records the order in the job's file. The file of an archived job is closed: only the log has the order. */
async function record(
  order: Order,
  { job, archived }: JobFile,
  answer: OrderAnswer,
  deps: Deps,
): Promise<void> {
  const outcome = answer.kind === 'done' ? `${order}: done` : `${order}: ${answer.kind}, ${answer.reason}`
  deps.log.info({ ...jobFields(job), order, outcome: answer.kind }, 'an operator gave an order')
  if (archived) return
  const id = await deps.ledger.recordDecision({
    rule,
    jobId: job.id,
    attemptId: null,
    runnerId: null,
    facts: { jobState: job.state },
    actions: [{ kind: order, runId: job.runId }],
  })
  await deps.ledger.recordOutcome(id, outcome)
}
