import { z } from 'zod'
import { parseJson } from '../../domain/parse-json.ts'
import type { Parsed, Webhooks } from '../../ports/webhooks.ts'
import { type Dialect, verifyWebhook } from '../webhook/index.ts'
import { isForRunners, jobEventOf, visibilityOf } from './job-event.ts'
import type { Numbers } from './numbers.ts'
import { jobSchema, repositorySchema } from './schemas.ts'

const dialect: Dialect = {
  signature: (headers) =>
    headers['x-gitea-signature'] ?? headers['x-hub-signature-256']?.replace(/^sha256=/, '') ?? '',
  noSignature: 'it has no signature (X-Gitea-Signature): give the webhook a secret',
  guid: 'X-Gitea-Delivery',
  event: 'X-Gitea-Event',
}

const actionSchema = z.object({ action: z.string() })
const deliverySchema = z.object({ workflow_job: jobSchema, repository: repositorySchema })

export interface GiteaWebhooksOptions {
  readonly installation: string
  /** Every secret that is valid now, so that one can be rotated without losing a delivery. */
  readonly secrets: () => readonly string[]
  readonly numbers: Numbers
}

/** Verifies and parses Gitea's webhook deliveries. */
export function createGiteaWebhooks({ installation, secrets, numbers }: GiteaWebhooksOptions): Webhooks {
  return {
    verify: (delivery) => verifyWebhook(delivery, secrets(), dialect),
    parse: (event, body) => parse(event, body, installation, numbers),
  }
}

function parse(event: string, body: string, installation: string, numbers: Numbers): Parsed {
  if (event !== 'workflow_job') return { kind: 'ignored', why: `${event} is not about a job` }
  const value = parseJson(body)
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
  const numbered = numbers.of(job)
  if (numbered === null) return { kind: 'deferred', why: 'which release of Gitea sent it is not known yet' }
  const origin = visibilityOf(repository)
  const named = { installation, repository: repository.full_name, ...origin, ...numbered }
  return { kind: 'job-event', jobEvent: jobEventOf(job, named) }
}
