import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { type Delivery, deliveryPayload, hookId, hookPayload, type Json } from '../core/index.ts'
import { idParam, notFound, readOrder, refuse } from './answers.ts'
import type { Deliveries } from './deliver.ts'
import type { Engine } from './engine.ts'
import { hookHeaders } from './hookshot.ts'

const perPageDefault = 30
const perPageMax = 100
const configSchema = z.object({
  url: z.url().optional(),
  secret: z.string().min(1).max(1_000).optional(),
  content_type: z.literal('json').optional(),
  insecure_ssl: z.union([z.string(), z.number()]).optional(),
})
const cursorPattern = /^v1_(\d{1,15})$/

/** The App's hook and the repositories' hook: what was sent, and sending it again. */
export function hookRoutes(engine: Engine, deliveries: Deliveries): Hono {
  const app = new Hono()
  addDeliveries(app, '/app/hook', engine)
  addDeliveries(app, '/repos/:owner/:repo/hooks/:hook', engine)

  app.get('/repos/:owner/:repo/hooks', (c) => {
    const { appId, links, accounts } = engine.core
    const repository = engine.core.repository(repositoryOf(c) ?? '')
    if (repository === null) return notFound(c)
    const isOwn = appId === null && deliveries.url !== null
    return c.json(
      isOwn ? [hookPayload(deliveries.url ?? '', appId, repository, accounts.subscribed(), links)] : [],
    )
  })

  app.get('/repos/:owner/:repo/hooks/:hook', (c) => {
    const { appId, links, accounts } = engine.core
    const repository = engine.core.repository(repositoryOf(c) ?? '')
    if (repository === null || !isKnown(engine, c)) return notFound(c)
    return c.json(hookPayload(deliveries.url ?? '', appId, repository, accounts.subscribed(), links))
  })
  for (const hook of ['/app/hook', '/repos/:owner/:repo/hooks/:hook'])
    addConfig(app, hook, engine, deliveries)

  app.post('/repos/:owner/:repo/hooks/:hook/pings', (c) => {
    const { url } = deliveries
    if (!isKnown(engine, c) || url === null) return notFound(c)
    engine.run((core, now) => core.ping(url, repositoryOf(c), now))
    return c.body(null, 204)
  })
  return app
}

function addConfig(app: Hono, hook: string, engine: Engine, deliveries: Deliveries): void {
  const shown = (c: Context): Response => {
    const config = { content_type: 'json', insecure_ssl: '0', secret: '********' }
    return c.json({ ...config, ...(deliveries.url !== null && { url: deliveries.url }) })
  }
  app.get(`${hook}/config`, (c) => (isKnown(engine, c) ? shown(c) : notFound(c)))
  app.patch(`${hook}/config`, async (c) => {
    if (!isKnown(engine, c)) return notFound(c)
    const order = await readOrder(c, configSchema)
    if (order instanceof Response) return order
    if (order.url !== undefined) deliveries.sendTo(order.url)
    if (order.secret !== undefined) deliveries.signWith(order.secret)
    return shown(c)
  })
}

function addDeliveries(app: Hono, hook: string, engine: Engine): void {
  app.get(`${hook}/deliveries`, (c) => {
    if (!isKnown(engine, c)) return notFound(c)
    const cursor = c.req.query('cursor')
    if (cursor !== undefined && !cursorPattern.test(cursor)) return refuse(c, 400, 'Invalid cursor')
    const before = Number(cursorPattern.exec(cursor ?? '')?.[1] ?? Number.POSITIVE_INFINITY)
    const older = engine.core.deliveries(repositoryOf(c)).filter(({ id }) => id < before)
    const shown = older.slice(0, perPageOf(c))
    const last = shown.at(-1)
    if (last !== undefined && shown.length < older.length) c.header('link', nextLink(c, last))
    return c.json(shown.map((delivery) => summary(engine, delivery)))
  })

  app.get(`${hook}/deliveries/:id`, (c) => {
    const delivery = deliveryAt(engine, c)
    return delivery === null ? notFound(c) : c.json(details(engine, delivery))
  })

  app.post(`${hook}/deliveries/:id/attempts`, (c) => {
    const delivery = deliveryAt(engine, c)
    if (delivery === null) return notFound(c)
    engine.run((core, now) => core.redeliver(delivery.id, now))
    return c.json({}, 202)
  })
}

/** Null for the App's hook, which is about all repositories. */
function repositoryOf(c: Context): string | null {
  const owner = c.req.param('owner')
  return owner === undefined ? null : `${owner}/${c.req.param('repo')}`
}

function isKnown(engine: Engine, c: Context): boolean {
  const repository = repositoryOf(c)
  if (repository === null) return true
  return idParam(c, 'hook') === hookId && engine.core.repository(repository) !== null
}

function deliveryAt(engine: Engine, c: Context): Delivery | null {
  if (!isKnown(engine, c)) return null
  return engine.core.delivery(idParam(c, 'id') ?? 0, repositoryOf(c))
}

function perPageOf(c: Context): number {
  const asked = Number(c.req.query('per_page') ?? perPageDefault)
  return Number.isSafeInteger(asked) && asked > 0 ? Math.min(asked, perPageMax) : perPageDefault
}

/** Pages of deliveries are told apart by a cursor: new ones come while somebody reads. */
function nextLink(c: Context, last: Delivery): string {
  const url = new URL(c.req.url)
  url.searchParams.set('cursor', `v1_${last.id}`)
  return `<${url.href}>; rel="next"`
}

function summary({ core }: Engine, delivery: Delivery): Json {
  const { message } = delivery
  return deliveryPayload(delivery, core.repositoryOf(message), core.installationIdOf(message), core.links)
}

/** The whole of it, but for the signatures: they are made with the secret when it is sent. */
function details(engine: Engine, delivery: Delivery): Json {
  const webhook = engine.core.rendered(delivery.message)
  const signed = hookHeaders(webhook, engine.core.appId, '', '')
  const { 'x-hub-signature': _sha1, 'x-hub-signature-256': _sha256, ...headers } = signed
  return {
    ...summary(engine, delivery),
    request: { headers, payload: webhook.payload },
    response: { headers: null, payload: null },
  }
}
