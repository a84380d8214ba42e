import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Parsed, RawDelivery, Verified, Webhooks } from '../../ports/webhooks.ts'
import { type Numbers, takeApart } from './numbers.ts'
import { jobSchema, repositorySchema } from './schemas.ts'
import { isForRunners, wordOf } from './word.ts'

const GUID_LENGTH_MAX = 64
const EVENT_LENGTH_MAX = 64

const actionSchema = z.object({ action: z.string() })
const deliverySchema = z.object({ workflow_job: jobSchema, repository: repositorySchema })

export interface GiteaWebhooksOptions {
  readonly installation: string
  /** All that are valid now, so that one can be replaced by another without losing a message. */
  readonly secrets: () => readonly string[]
  readonly numbers: Numbers
}

/** Gitea's signatures, headers and `workflow_job` messages. */
export function createGiteaWebhooks({ installation, secrets, numbers }: GiteaWebhooksOptions): Webhooks {
  return {
    verify: (delivery) => verify(delivery, secrets()),
    parse: (event, body) => parse(event, body, installation, numbers),
  }
}

function verify({ headers, body }: RawDelivery, secrets: readonly string[]): Verified {
  const signature =
    headers['x-gitea-signature'] ?? headers['x-hub-signature-256']?.replace(/^sha256=/, '') ?? ''
  if (signature === '') return refused('it has no signature (X-Gitea-Signature): give the webhook a secret')
  if (!isSigned(body, signature, secrets)) return refused('its signature fits none of our webhook secrets')
  const guid = headers['x-gitea-delivery'] ?? ''
  if (!isWord(guid, GUID_LENGTH_MAX)) return refused('it has no usable X-Gitea-Delivery')
  const event = headers['x-gitea-event'] ?? ''
  if (!isWord(event, EVENT_LENGTH_MAX)) return refused('it has no usable X-Gitea-Event')
  const contentType = headers['content-type'] ?? ''
  if (!/^application\/json\b/i.test(contentType)) {
    return refused(`its content type is "${contentType.slice(0, 100)}"; set the webhook to application/json`)
  }
  return { kind: 'genuine', guid, event }
}

/** Every secret is tried to its end, so that the time tells nothing about which one came near. */
function isSigned(body: Uint8Array, signature: string, secrets: readonly string[]): boolean {
  const given = Buffer.from(/^[0-9a-f]{64}$/i.exec(signature)?.[0] ?? '', 'hex')
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

function parse(event: string, body: string, installation: string, numbers: Numbers): Parsed {
  if (event !== 'workflow_job') return { kind: 'ignored', why: `${event} is not about a job` }
  const value = jsonOf(body)
  const action = actionSchema.safeParse(value)
  if (!action.success) return { kind: 'malformed', why: 'expected a JSON object with an action' }
  const delivery = deliverySchema.safeParse(value)
  if (!delivery.success) {
    const [issue] = delivery.error.issues
    return { kind: 'malformed', why: `${issue?.path.join('.')}: ${issue?.message}` }
  }
  const { workflow_job: job, repository } = delivery.data
  if (!isForRunners(job)) {
    return {
      kind: 'ignored',
      why: `a job that is ${job.conclusion || job.status} is not a runner's business`,
    }
  }
  const forgeJobId = numbers.of(job)
  const runAttempt = takeApart(forgeJobId).time
  const named = { installation, repository: repository.full_name, forgeJobId, runAttempt }
  return { kind: 'word', word: wordOf(job, named) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
