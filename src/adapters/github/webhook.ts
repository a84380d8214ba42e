import { z } from 'zod'
import { parseJson } from '../../domain/parse-json.ts'
import type { Instant } from '../../domain/time.ts'
import type { Parsed, Webhooks } from '../../ports/webhooks.ts'
import { type Dialect, verifyWebhook } from '../webhook/index.ts'
import { jobEventOf, visibilityOf } from './job-event.ts'
import { jobSchema, repositorySchema } from './schemas.ts'

const dialect: Dialect = {
  signature: (headers) => /^sha256=(.*)$/i.exec(headers['x-hub-signature-256'] ?? '')?.[1] ?? '',
  noSignature: 'it has no signature (X-Hub-Signature-256)',
  guid: 'X-GitHub-Delivery',
  event: 'X-GitHub-Event',
}

const actionSchema = z.object({ action: z.string() })
const deliverySchema = z.object({
  workflow_job: jobSchema,
  // Without a default: where absent, visibility is unknown.
  repository: repositorySchema.extend({ private: z.boolean().optional().catch(undefined) }),
})
const sourceSchema = z.object({ installation: z.object({ id: z.number() }) })

/** Actions by which the job gets the status of the same name, in the order in which they come. */
const jobActions = ['waiting', 'queued', 'in_progress', 'completed'] as const
/** A job that waits for an approval is announced as `queued` too, and once more after the approval. */
const earlyStates: readonly string[] = ['waiting', 'pending', 'requested']

export interface GitHubWebhooksOptions {
  readonly installation: string
  /** Every secret that is valid now, so that one can be rotated without losing a delivery. */
  readonly secrets: () => readonly string[]
  /** The only installation of the App that is served; where absent all are. */
  readonly installationId?: number | undefined
  readonly now?: () => Instant
}

/** Verifies and parses GitHub's webhook deliveries. */
export function createGitHubWebhooks(options: GitHubWebhooksOptions): Webhooks {
  return {
    verify: (delivery) => verifyWebhook(delivery, options.secrets(), dialect),
    parse: (event, body) => parse(event, body, options),
  }
}

function parse(event: string, body: string, options: GitHubWebhooksOptions): Parsed {
  const { installation, installationId, now = Date.now } = options
  if (event === 'ping') return { kind: 'ping' }
  if (event !== 'workflow_job') return { kind: 'ignored', why: `${event} is not about a job` }
  const value = parseJson(body)
  const action = actionSchema.safeParse(value)
  if (!action.success) return { kind: 'malformed', why: 'expected a JSON object with an action' }
  const status = jobActions.find((each) => each === action.data.action)
  if (status === undefined) {
    return { kind: 'ignored', why: `workflow_job ${action.data.action.slice(0, 50)} changes nothing here` }
  }
  const source = sourceSchema.safeParse(value)
  const from = source.success ? source.data.installation.id : installationId
  if (installationId !== undefined && from !== installationId) {
    const why = `it is from installation ${from} of the App, and forge.app.installationId is ${installationId}`
    return { kind: 'ignored', why }
  }
  const delivery = deliverySchema.safeParse(value)
  if (!delivery.success) {
    const [issue] = delivery.error.issues
    return { kind: 'malformed', why: `${issue?.path.join('.')}: ${issue?.message}` }
  }
  const { workflow_job: job, repository } = delivery.data
  // The job in a delivery may be newer or older than its action: the further status holds.
  const further = jobActions.findLast((each) => each === status || each === job.status) ?? status
  const isEarly = further === 'queued' && earlyStates.includes(job.status)
  const jobEvent = jobEventOf(
    { ...job, status: isEarly ? job.status : further },
    repository.full_name,
    installation,
    now(),
    visibilityOf(repository),
  )
  return { kind: 'job-event', jobEvent }
}
