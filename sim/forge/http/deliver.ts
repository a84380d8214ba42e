import type { Instant } from '../../../src/ports/clock.ts'
import type { Log } from '../../../src/ports/log.ts'
import { actionOf, type Delivery, type Webhook } from '../core/index.ts'
import type { Engine } from './engine.ts'
import type { WebhookFault } from './fault-schedule.ts'
import type { Faults } from './faults.ts'
import { hookHeaders } from './hookshot.ts'
import { createPoster } from './post.ts'

/** GitHub's own patience. */
const answerMsMax = 10_000
const atOnceMax = 8

interface FailedDelivery {
  readonly guid: string
  readonly event: string
  readonly action: string | null
  readonly jobId: number | null
  readonly at: Instant
  /** The status of the answer; null: none came. */
  readonly status: number | null
  readonly why: string
}

export interface Deliveries {
  /** Sends what waits, some at once, each one time only. */
  pump(): void
  /** Where the hook points; null: nowhere. */
  readonly url: string | null
  sendTo(url: string | null): void
  /** With which secret messages are signed from now on. */
  signWith(secret: string): void
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

interface Taken {
  readonly statusCode: number | null
  readonly why: string | null
}

/** Posts webhooks as GitHub does: signed, without order, never repeated unless somebody asks for it. */
export function createDeliveries({ engine, faults, log, ...options }: DeliveriesOptions): Deliveries {
  let { url, secret } = options
  const underWay = new Set<Promise<void>>()
  /** Delayed deliveries take no slot from others. */
  const held = new Set<Promise<void>>()
  const closing = new AbortController()
  const poster = createPoster()

  const deliver = async (webhook: Webhook, isLost: boolean): Promise<void> => {
    const deliveredAt = engine.clock.now()
    const lost = { statusCode: null, why: 'lost by a fault that was ordered' }
    const taken = isLost ? lost : await attempt(webhook)
    const durationMs = Math.max(engine.clock.now() - deliveredAt, 0)
    engine.run((core) => core.noteDelivery(webhook.message, { deliveredAt, durationMs, ...taken }))
    if (taken.why !== null) log.debug({ guid: webhook.guid, ...taken }, 'a webhook was not taken')
  }

  const attempt = async (webhook: Webhook): Promise<Taken> => {
    if (url === null) return { statusCode: null, why: 'nobody to send it to' }
    const overdue = new AbortController()
    const cancel = engine.clock.after(answerMsMax, () => overdue.abort(new Error('timed out')))
    try {
      const signal = AbortSignal.any([overdue.signal, closing.signal])
      const body = JSON.stringify(webhook.payload)
      const headers = hookHeaders(webhook, engine.core.appId, body, secret)
      const status = await poster.post(url, body, headers, signal)
      return { statusCode: status, why: status >= 200 && status < 300 ? null : `answered ${status}` }
    } catch (error) {
      return { statusCode: null, why: reasonOf(error) }
    } finally {
      cancel()
    }
  }

  const send = async (webhook: Webhook, fault: WebhookFault): Promise<void> => {
    if (fault.kind === 'delay') await engine.clock.sleep(fault.delayMs, closing.signal).catch(() => {})
    await deliver(webhook, fault.kind === 'drop')
    if (fault.kind === 'repeat') await deliver(webhook, false)
  }

  const pump = (): void => {
    while (underWay.size < atOnceMax && !closing.signal.aborted) {
      const [webhook] = engine.core.takeWebhooks(1)
      if (webhook === undefined) return
      const fault = faults.nextWebhook()
      const place = fault.kind === 'delay' ? held : underWay
      const sending = send(webhook, fault)
        .catch((error) => log.error({ err: error }, 'what became of a webhook could not be kept'))
        .finally(() => {
          place.delete(sending)
          pump()
        })
      place.add(sending)
    }
  }

  return {
    pump,
    get url() {
      return url
    },
    sendTo(target) {
      url = target
    },
    signWith(fresh) {
      secret = fresh
    },
    failed: () =>
      engine.core
        .deliveries(null)
        .filter(({ why }) => why !== null)
        .map(failure),
    async close() {
      closing.abort(new Error('the forge ends'))
      await Promise.allSettled([...underWay, ...held])
      poster.close()
    },
  }
}

function failure({ message, deliveredAt, statusCode, why }: Delivery): FailedDelivery {
  const job = message.event === 'workflow_job' ? message.job : null
  const { guid, event } = message
  return {
    guid,
    event,
    action: actionOf(message),
    jobId: job?.id ?? null,
    at: deliveredAt,
    status: statusCode,
    why: why ?? '',
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
