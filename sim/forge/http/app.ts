import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Log } from '../../../src/ports/log.ts'
import { type AdminParts, adminRoutes } from './admin-routes.ts'
import { notFound, refuse } from './answers.ts'
import { githubRoutes } from './github-routes.ts'
import { runnerRoutes } from './runner-routes.ts'
import { bearerOf, isSameSecret } from './secret.ts'

const BODY_BYTES_MAX = 1024 * 1024

export interface AppOptions extends AdminParts {
  readonly url: string
  readonly token: string
  readonly closing: AbortSignal
  readonly log: Log
}

/** The forge's whole HTTP surface. */
export function createApp({
  url,
  token,
  closing,
  log,
  ...parts
}: AppOptions): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(bodyLimit({ maxSize: BODY_BYTES_MAX, onError: (c) => refuse(c, 413, 'Payload Too Large') }))
  app.notFound(notFound)
  app.onError((error, c) => {
    log.error({ err: error, path: c.req.path }, 'the simulated forge failed')
    return refuse(c, 500, 'Server Error')
  })
  app.route('/_runner', runnerRoutes(parts.engine, parts.logs, closing))
  app.use(authenticated(token))
  app.route('/_sim', adminRoutes(parts))
  app.use('/repos/*', parts.faults.middleware)
  app.use('/installation/*', parts.faults.middleware)
  app.route('/', githubRoutes(parts.engine, url))
  return app
}

function authenticated(token: string): MiddlewareHandler {
  return async (c, next) => {
    const given = bearerOf(c.req.header('authorization'))
    if (given === null) return refuse(c, 401, 'Requires authentication')
    if (!isSameSecret(given, token)) return refuse(c, 401, 'Bad credentials')
    return next()
  }
}
