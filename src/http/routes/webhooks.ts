import type { Context, Hono } from 'hono'
import type { WebhookAnswer } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../deps.ts'
import { readBody } from '../request/read-body.ts'

/**
 * GitHub sends up to 25 MiB, but what concerns jobs is below 100 KiB; a body is held in memory before anybody
 * has proven who sent it, so that the bound is kept near what is needed.
 */
const bodyBytesMax = 2 * 1024 * 1024
/** With the bound above: at most 128 MiB of unproven bodies. */
const bodiesAtOnceMax = 64
/** A content type is repeated in the answer up to here. */
const shownCharsMax = 100

/** A webhook is taken as raw bytes, verified, stored and answered; nothing of it is parsed here. */
export function webhookRoutes(app: Hono, { receive, metrics }: Pick<HttpDeps, 'receive' | 'metrics'>): void {
  let underWay = 0

  /** What cannot be taken is counted as what a bad signature is; `receive` counts what it sees. */
  async function take(context: Context): Promise<Uint8Array> {
    try {
      checkType(context)
      return await readBody(context, bodyBytesMax)
    } catch (error) {
      metrics.count('holdfast_deliveries_total', { outcome: 'refused' })
      throw error
    }
  }

  app.post('/webhooks/forge', async (context) => {
    if (underWay >= bodiesAtOnceMax) {
      throw new HoldfastError('E_OVERLOADED', { what: 'webhooks', max: bodiesAtOnceMax })
    }
    underWay += 1
    try {
      const body = await take(context)
      const received = await receive({ headers: context.req.header(), body })
      if (received.kind === 'refused') throw new HoldfastError('E_WEBHOOK_REFUSED', { why: received.why })
      if (received.kind === 'pong') return context.json({ kind: 'pong' } satisfies WebhookAnswer)
      return context.json({ kind: received.kind, guid: received.guid } satisfies WebhookAnswer, 202)
    } finally {
      underWay -= 1
    }
  })
}

/** Throws E_CONTENT_TYPE. A form's body is signed as well, but it is no JSON. */
function checkType(context: Context): void {
  const type = context.req.header('content-type') ?? ''
  if (/^application\/json\s*(;|$)/i.test(type)) return
  const got = type === '' ? 'none' : type.slice(0, shownCharsMax)
  throw new HoldfastError('E_CONTENT_TYPE', { expected: 'application/json', got })
}
