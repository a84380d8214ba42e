import type { Hono } from 'hono'
import {
  type DeliveryList,
  deliveryQuerySchema,
  deliveryView,
  guidSchema,
  iso,
  type ReplayAnswer,
} from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead, mayWrite } from '../request/access.ts'
import { parsePart, parseQuery } from '../request/parse.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** Stored webhook deliveries, their outcome, and the replay of one. */
export function deliveryRoutes(app: Hono, deps: Deps): void {
  const { ledger } = deps

  app.get('/v1/deliveries', mayRead(deps), async (context) => {
    const { state, limit } = parseQuery(context, deliveryQuerySchema)
    const [now, rows] = await Promise.all([ledger.now(), ledger.deliveries({ states: state, limit })])
    return context.json({ at: iso(now), deliveries: rows.map(deliveryView) } satisfies DeliveryList)
  })

  app.post('/v1/deliveries/:guid/replay', mayWrite(deps), async (context) => {
    const guid = parsePart(context.req.param('guid'), guidSchema)
    const outcome = await ledger.replayDelivery(guid)
    if (outcome === 'unknown') throw new HoldfastError('E_DELIVERY_UNKNOWN', { guid })
    if (outcome === 'pending') throw new HoldfastError('E_DELIVERY_PENDING', { guid })
    return context.json({ replayed: true, guid } satisfies ReplayAnswer)
  })
}
