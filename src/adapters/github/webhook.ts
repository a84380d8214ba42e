import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Instant } from '../../domain/time.ts'
import type { Parsed, RawDelivery, Verified, Webhooks } from '../../ports/webhooks.ts'
import { jobSchema, repositorySchema } from './schemas.ts'
import { wordOf } from './word.ts'

const GUID_LENGTH_MAX = 64
const EVENT_LENGTH_MAX = 64

const actionSchema = z.object({ action: z.string() })
const deliverySchema = z.object({ workflow_job: jobSchema, repository: repositorySchema })
const sourceSchema = z.object({ installation: z.object({ id: z.number() }) })

/** Each says that the job now has the status of the same name; in the order in which they come. */
const jobActions = ['queued', 'in_progress', 'completed'] as const

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
    verify: (delivery) => verify(delivery, options.secrets()),
    parse: (event, body) => parse(event, body, options),
  }
}

function verify({ headers, body }: RawDelivery, secrets: readonly string[]): Verified {
  const signature = headers['x-hub-signature-256'] ?? ''
  if (signature === '') return refused('it has no signature (X-Hub-Signature-256)')
  if (!isSigned(body, signature, secrets)) return refused('its signature fits none of our webhook secrets')
  const guid = headers['x-github-delivery'] ?? ''
  if (!isWord(guid, GUID_LENGTH_MAX)) return refused('it has no usable X-GitHub-Delivery')
  const event = headers['x-github-event'] ?? ''
  if (!isWord(event, EVENT_LENGTH_MAX)) return refused('it has no usable X-GitHub-Event')
  const contentType = headers['content-type'] ?? ''
  if (!/^application\/json\b/i.test(contentType)) {
    return refused(`its content type is "${contentType.slice(0, 100)}"; set the webhook to application/json`)
  }
  return { kind: 'genuine', guid, event }
}

/** Every secret is tried to its end, so that the time tells nothing about which one came near. */
function isSigned(body: Uint8Array, signature: string, secrets: readonly string[]): boolean {
  const given = Buffer.from(/^sha256=([0-9a-f]{64})$/i.exec(signature)?.[1] ?? '', 'hex')
  let fits = false
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(body).digest()
    const same = given.length === expected.length && timingSafeEqual(given, expected)
    fits = same || fits
  }
  return fits
}

function isWord(text: string, lengthMax: number): boolean {
  return text.length <= lengthMax && /^[\w-]+$/.test(text)
}

function refused(why: string): Verified {
  return { kind: 'refused', why }
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
  const word = wordOf({ ...job, status: further }, repository.full_name, installation, now())
  return { kind: 'word', word }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
