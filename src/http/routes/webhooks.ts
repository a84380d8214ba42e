import type { Context, Hono } from 'hono'
import type { WebhookAnswer } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../deps.ts'
import { createBodySlots } from '../request/body-slots.ts'
import { sourceOf } from '../request/incoming.ts'
import { readBody } from '../request/read-body.ts'

/**
 * GitHub sends up to 25 MiB, but job events are below 100 KiB. A body is held in memory before its signature is
 * verified, so the bound stays near what is needed.
 */
const bodyBytesMax = 2 * 1024 * 1024
/** Bound on the announced bytes of all unverified bodies: thousands of ordinary ones. */
const unprovenBytesMax = 128 * 1024 * 1024
/** GitHub waits ten seconds for the answer, so a slower body is not GitHub's. */
const bodyWithinMs = 5_000
/** Bound on verified deliveries that wait for the ledger; the forge sends the others again. */
const underWayMax = 256
/** Characters of a content type that the error quotes. */
const shownCharsMax = 100

/** Receives webhook deliveries: read as raw bytes, verified, stored and answered; nothing is parsed here. */
export function webhookRoutes(
  app: Hono,
  { receive, metrics, clock }: Pick<HttpDeps, 'receive' | 'metrics' | 'clock'>,
): void {
  const slots = createBodySlots({ bytesMax: unprovenBytesMax, deadlineMs: bodyWithinMs, clock })
  let underWay = 0

  /** Reads the body. Counts an unreadable one as refused, like a bad signature, which `receive` counts. */
  async function take(context: Context): Promise<Uint8Array> {
    const slot = slots.take(sourceOf(context), announcedBytes(context))
    try {
      checkType(context)
      return await readBody(context, bodyBytesMax, slot.signal)
    } catch (error) {
      metrics.count('holdfast_deliveries_total', { outcome: 'refused' })
      throw error
    } finally {
      slot.release()
    }
  }

  app.post('/webhooks/forge', async (context) => {
    const body = await take(context)
    if (underWay >= underWayMax) {
      throw new HoldfastError('E_OVERLOADED', { what: 'webhooks', max: underWayMax })
    }
    underWay += 1
    try {
      const received = await receive({ headers: context.req.header(), body })
      if (received.kind === 'refused') throw new HoldfastError('E_WEBHOOK_REFUSED', { why: received.why })
      if (received.kind === 'pong') return context.json({ kind: 'pong' } satisfies WebhookAnswer)
      return context.json({ kind: received.kind, guid: received.guid } satisfies WebhookAnswer, 202)
    } finally {
      underWay -= 1
    }
  })
}

/** The announced length; the bound where none or too much is announced. */
function announcedBytes(context: Context): number {
  const announced = Number(context.req.header('content-length') ?? Number.NaN)
  return announced >= 0 && announced < bodyBytesMax ? announced : bodyBytesMax
}

/** Throws E_CONTENT_TYPE. GitHub signs form bodies too, but they are no JSON. */
function checkType(context: Context): void {
  const type = context.req.header('content-type') ?? ''
  if (/^application\/json\s*(;|$)/i.test(type)) return
  const got = type === '' ? 'none' : type.slice(0, shownCharsMax)
  throw new HoldfastError('E_CONTENT_TYPE', { expected: 'application/json', got })
}
