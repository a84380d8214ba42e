import { z } from 'zod'
import type { Instant } from '../../domain/time.ts'
import type { Parsed, Webhooks } from '../../ports/webhooks.ts'
import { type Dialect, verifyWebhook } from '../webhook/index.ts'
import { jobSchema, repositorySchema } from './schemas.ts'
import { wordOf } from './word.ts'

const dialect: Dialect = {
  signature: (headers) => /^sha256=(.*)$/i.exec(headers['x-hub-signature-256'] ?? '')?.[1] ?? '',
  noSignature: 'it has no signature (X-Hub-Signature-256)',
  guid: 'X-GitHub-Delivery',
  event: 'X-GitHub-Event',
}

const actionSchema = z.object({ action: z.string() })
const deliverySchema = z.object({ workflow_job: jobSchema, repository: repositorySchema })
const sourceSchema = z.object({ installation: z.object({ id: z.number() }) })

/** Each says that the job now has the status of the same name; in the order in which they come. */
const jobActions = ['waiting', 'queued', 'in_progress', 'completed'] as const
/** A job that waits for an approval is announced as `queued` too, and once more when it has it. */
const earlyStates: readonly string[] = ['waiting', 'pending', 'requested']

export interface GitHubWebhooksOptions {
  readonly installation: string
  /** All that are valid now, so that one can be replaced by another without losing a message. */
  readonly secrets: () => readonly string[]
  /** Messages that another installation of the App sent are not ours; without it all are. */
  readonly installationId?: number | undefined
  readonly now?: () => Instant
}

/** GitHub's signatures, headers and `workflow_job` messages. */
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
  const value = jsonOf(body)
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
  // The job in a message may have been written later than the message arose, or earlier: the further one holds.
  const further = jobActions.findLast((each) => each === status || each === job.status) ?? status
  const isEarly = further === 'queued' && earlyStates.includes(job.status)
  const word = wordOf(
    { ...job, status: isEarly ? job.status : further },
    repository.full_name,
    installation,
    now(),
  )
  return { kind: 'word', word }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
