import type { Hono } from 'hono'
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

/** A webhook is taken as raw bytes, verified, stored and answered; nothing of it is parsed here. */
export function webhookRoutes(app: Hono, { receive }: Pick<HttpDeps, 'receive'>): void {
  let underWay = 0
  app.post('/webhooks/forge', async (context) => {
    if (underWay >= bodiesAtOnceMax) {
      throw new HoldfastError('E_OVERLOADED', { what: 'webhooks', max: bodiesAtOnceMax })
    }
    underWay += 1
    try {
      const body = await readBody(context, bodyBytesMax)
      const received = await receive({ headers: context.req.header(), body })
      if (received.kind === 'refused') throw new HoldfastError('E_WEBHOOK_REFUSED', { why: received.why })
      return context.json({ kind: received.kind, guid: received.guid } satisfies WebhookAnswer, 202)
    } finally {
      underWay -= 1
    }
  })
}
