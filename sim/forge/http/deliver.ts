import type { Instant } from '../../../src/ports/clock.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { Webhook } from '../core/index.ts'
import type { Engine } from './engine.ts'
import type { Faults } from './faults.ts'
import { signatureOf } from './secret.ts'

/** GitHub's own patience. */
const ANSWER_MS_MAX = 10_000
const AT_ONCE_MAX = 8
const FAILED_KEPT_MAX = 1_000

export interface FailedDelivery {
  readonly guid: string
  readonly event: string
  readonly action: unknown
  readonly jobId: unknown
  readonly at: Instant
  /** The status of the answer; null: none came. */
  readonly status: number | null
  readonly why: string
}

export interface Deliveries {
  /** Sends what waits, some at once, each one time only. */
  pump(): void
  sendTo(url: string | null): void
  /** The newest that were not answered with success. */
  failed(): readonly FailedDelivery[]
  close(): Promise<void>
}

export interface DeliveriesOptions {
  readonly engine: Engine
  readonly url: string | null
  readonly secret: string
  readonly faults: Faults
  readonly log: Log
}

/** Posts webhooks as GitHub does: signed, without order, never repeated. */
export function createDeliveries({ engine, secret, faults, log, ...options }: DeliveriesOptions): Deliveries {
  let url = options.url
  let failures: FailedDelivery[] = []
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  const deliver = async (webhook: Webhook): Promise<void> => {
    const failure = await attempt(webhook)
    if (failure === null) return
    const { action, workflow_job: job } = webhook.payload as {
      action: unknown
      workflow_job: { id: unknown }
    }
    const { guid, event } = webhook
    const failed = { guid, event, action, jobId: job.id, at: engine.clock.now(), ...failure }
    failures = [...failures, failed].slice(-FAILED_KEPT_MAX)
    log.debug({ ...failed }, 'a webhook was not taken')
  }

  const attempt = async (webhook: Webhook): Promise<{ status: number | null; why: string } | null> => {
    if (url === null) return { status: null, why: 'nobody to send it to' }
    if (faults.dropsWebhook()) return { status: null, why: 'lost by a fault that was ordered' }
    const overdue = new AbortController()
    const cancel = engine.clock.after(ANSWER_MS_MAX, () => overdue.abort(new Error('no answer in time')))
    try {
      const signal = AbortSignal.any([overdue.signal, closing.signal])
      const answer = await post(url, webhook, secret, signal)
      return answer.ok ? null : { status: answer.status, why: `answered ${answer.status}` }
    } catch (error) {
      return { status: null, why: reasonOf(error) }
    } finally {
      cancel()
    }
  }

  const pump = (): void => {
    while (underWay.size < AT_ONCE_MAX && !closing.signal.aborted) {
      const [webhook] = engine.core.takeWebhooks(1)
      if (webhook === undefined) return
      const sending = deliver(webhook).finally(() => {
        underWay.delete(sending)
        pump()
      })
      underWay.add(sending)
    }
  }

  return {
    pump,
    sendTo(target) {
      url = target
    },
    failed: () => failures,
    async close() {
      closing.abort(new Error('the forge ends'))
      await Promise.allSettled(underWay)
    },
  }
}

async function post(url: string, webhook: Webhook, secret: string, signal: AbortSignal): Promise<Response> {
  const body = JSON.stringify(webhook.payload)
  const answer = await fetch(url, {
    method: 'POST',
    body,
    signal,
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/simulated',
      'x-github-event': webhook.event,
      'x-github-delivery': webhook.guid,
      'x-github-hook-id': '1',
      'x-hub-signature-256': signatureOf(body, secret),
    },
  })
  await answer.body?.cancel()
  return answer
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
