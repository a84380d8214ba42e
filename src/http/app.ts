import { type Context, Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { type ErrorCode, HoldfastError } from '../domain/errors/index.ts'
import type { HttpDeps } from './deps.ts'
import { answerError } from './request/errors.ts'
import { measure } from './request/measure.ts'
import { agentRoutes } from './routes/agent.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { dispatchRoutes } from './routes/dispatch.ts'
import { explainRoutes } from './routes/explain.ts'
import { forgeRoutes } from './routes/forge.ts'
import { jobRoutes } from './routes/jobs.ts'
import { operationRoutes } from './routes/operations.ts'
import { orderRoutes } from './routes/orders.ts'
import { pageRoutes } from './routes/pages.ts'
import { runnerRoutes } from './routes/runners.ts'
import { webhookRoutes } from './routes/webhooks.ts'

export interface App {
  fetch(request: Request): Response | Promise<Response>
  /** Answers everybody who waits for a job with "nothing for now", now and from now on. */
  endWaiting(): void
  /** The patterns that it serves. */
  readonly routes: readonly string[]
}

/** Everything that Holdfast serves over HTTP. */
export function createApp(deps: HttpDeps): App {
  const app = new Hono()
  const closing = new AbortController()
  const refuse = (code: ErrorCode, context: Context, allowed: readonly string[] = []): Response => {
    const { method, path } = context.req
    return answerError(new HoldfastError(code, { method, path: shortened(path), allowed }), context, deps.log)
  }
  app.use(measure(deps))
  app.use(async (context, next) => {
    context.header('cache-control', 'no-store')
    context.header('x-content-type-options', 'nosniff')
    context.header('referrer-policy', 'no-referrer')
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
  dispatchRoutes(app, deps, closing.signal)
  agentRoutes(app, deps)
  webhookRoutes(app, deps)
  jobRoutes(app, deps)
  orderRoutes(app, deps)
  runnerRoutes(app, deps)
  explainRoutes(app, deps)
  deliveryRoutes(app, deps)
  forgeRoutes(app, deps, closing.signal)
  operationRoutes(app, deps)
  pageRoutes(app, deps)
  app.notFound((context) => refuse('E_PATH_UNKNOWN', context))
  app.onError((error, context) => answerError(error, context, deps.log))
  return {
    fetch: (request) => app.fetch(request),
    endWaiting: () => closing.abort(),
    routes: [...new Set(app.routes.map(({ path }) => path).filter((path) => !path.includes('*')))],
  }
}

const pathCharsMax = 200

function shortened(path: string): string {
  return path.length <= pathCharsMax ? path : `${path.slice(0, pathCharsMax)}…`
}
