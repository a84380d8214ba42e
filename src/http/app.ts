import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { type ErrorCode, HoldfastError } from '../domain/errors/index.ts'
import type { HttpDeps } from './deps.ts'
import { pollListener } from './poll-listener.ts'
import { answerError } from './request/errors.ts'
import { answerHeaders } from './request/headers.ts'
import { measure } from './request/measure.ts'
import { agentRoutes } from './routes/agent.ts'
import { deathRoutes } from './routes/deaths.ts'
import { decisionRoutes } from './routes/decisions.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { createAsking, dispatchRoutes } from './routes/dispatch.ts'
import { explainRoutes } from './routes/explain.ts'
import { forgeRoutes } from './routes/forge.ts'
import { hostRoutes } from './routes/hosts.ts'
import { installationRoutes } from './routes/installations.ts'
import { jobRoutes } from './routes/jobs.ts'
import { operationRoutes } from './routes/operations.ts'
import { orderRoutes } from './routes/orders.ts'
import { pageRoutes } from './routes/pages.ts'
import { poolRoutes } from './routes/pools.ts'
import { runnerRoutes } from './routes/runners.ts'
import { webhookRoutes } from './routes/webhooks.ts'

export interface App {
  /** `env`: Node's own request, where there is a server. */
  fetch(request: Request, env?: object): Response | Promise<Response>
  /** The same for Node's server, cheaper for waiting polls. */
  readonly listener: RequestListener
  /** Answers all waiting polls with "nothing for now", and later polls at once. */
  endWaiting(): void
  /** The patterns of all routes. */
  readonly routes: readonly string[]
}

/** Everything that Holdfast serves over HTTP. */
export function createApp(deps: HttpDeps): App {
  const app = new Hono()
  const closing = new AbortController()
  const refuse = (
    code: ErrorCode,
    context: Context,
    allowed: readonly string[] = [],
  ): Response | Promise<Response> => {
    const { method, path } = context.req
    return answerError(new HoldfastError(code, { method, path: shortened(path), allowed }), context, deps.log)
  }
  app.use(measure(deps))
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(answerHeaders)) context.header(name, value)
    await next()
  })
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (context, allowed) => {
        context.header('allow', allowed.join(', '))
        return refuse('E_METHOD_WRONG', context, allowed)
      },
    }),
  )
  const ask = createAsking(deps, closing.signal)
  dispatchRoutes(app, deps, ask)
  agentRoutes(app, deps)
  webhookRoutes(app, deps)
  jobRoutes(app, deps)
  orderRoutes(app, deps)
  installationRoutes(app, deps)
  hostRoutes(app, deps)
  poolRoutes(app, deps)
  runnerRoutes(app, deps)
  explainRoutes(app, deps)
  deathRoutes(app, deps)
  decisionRoutes(app, deps)
  deliveryRoutes(app, deps)
  forgeRoutes(app, deps, closing.signal)
  operationRoutes(app, deps)
  pageRoutes(app, deps)
  app.notFound((context) => refuse('E_PATH_UNKNOWN', context))
  app.onError((error, context) => answerError(error, context, deps.log))
  const fetch: App['fetch'] = (request, env) => app.fetch(request, env)
  return {
    fetch,
    listener: pollListener(ask, deps, getRequestListener(fetch, { overrideGlobalObjects: false })),
    endWaiting: () => closing.abort(),
    routes: [...new Set(app.routes.map(({ path }) => path).filter((path) => !path.includes('*')))],
  }
}

const pathCharsMax = 200

function shortened(path: string): string {
  return path.length <= pathCharsMax ? path : `${path.slice(0, pathCharsMax)}…`
}
