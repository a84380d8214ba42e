import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getPath } from 'hono/utils/url'
import type { Instant } from '../../../src/ports/clock.ts'
import type { Entropy } from '../../../src/ports/entropy.ts'
import type { Log } from '../../../src/ports/log.ts'
import { access } from './access.ts'
import { type AdminParts, adminRoutes } from './admin-routes.ts'
import { notFound, refuse } from './answers.ts'
import { noteCaller } from './caller.ts'
import type { AppIdentity, Credentials } from './credentials.ts'
import { deploymentRoutes } from './deployment-routes.ts'
import { conditional, githubHeaders } from './github-headers.ts'
import { githubRoutes } from './github-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { hookRoutes } from './hook-routes.ts'
import { appRoutes, isAppPath } from './installation.ts'
import { logAddress, logRoutes } from './log-routes.ts'
import { createReader } from './reader.ts'
import { namedPath, renamed } from './renamed.ts'
import { runListRoutes } from './run-lists.ts'
import { runRoutes } from './run-routes.ts'
import { runnerDetails } from './runner-details.ts'
import { runnerRoutes } from './runner-routes.ts'
import { runnersRoutes } from './runners-routes.ts'
import { bearerOf, isSameSecret } from './secret.ts'

const bodyBytesMax = 1024 * 1024
/** Where a GitHub Enterprise Server has its API; the same paths are served there too. */
const serverPrefix = /^\/api\/v3(?=\/)/

const diskFullText = 'The disk of the simulated forge is full: nothing was changed. Make room, then try again'

export interface AppOptions extends AdminParts {
  readonly url: string
  /** Where runners find it. */
  readonly runnersUrl: string
  readonly token: string
  readonly app: AppIdentity | null
  /** The time that the forge shows. */
  readonly shownNow: () => Instant
  readonly closing: AbortSignal
  readonly entropy: Entropy
  readonly log: Log
}

type App = Hono<{ Bindings: HttpBindings }>

/** The forge's whole HTTP surface. */
export function createApp(options: AppOptions): App {
  const { token, closing, log, engine, logs } = options
  const app: App = new Hono({
    getPath: (request) => namedPath(engine, getPath(request).replace(serverPrefix, '')),
  })
  app.use(bodyLimit({ maxSize: bodyBytesMax, onError: (c) => refuse(c, 413, 'Payload Too Large') }))
  app.notFound(notFound)
  app.onError((error, c) => {
    log.error({ err: error, path: c.req.path }, 'the simulated forge failed')
    return isDiskFull(error) ? refuse(c, 503, diskFullText) : refuse(c, 500, 'Server Error')
  })
  app.route('/_runner', runnerRoutes(engine, logs, closing))
  app.route('/_logs', logRoutes(logs, token, engine.clock))
  app.use('/_sim/*', admitted(token))
  app.route('/_sim', adminRoutes(options))
  addGitHub(app, options)
  return app
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC'
}

/** GitHub's paths, each call in the order in which GitHub judges it. */
function addGitHub(app: App, options: AppOptions): void {
  const { token, app: identity, engine, faults, rateLimit, credentials } = options
  const read = createReader(engine, faults)
  app.use(githubHeaders(options.entropy, options.shownNow))
  app.use(authenticated(credentials))
  app.use(rateLimit.middleware)
  app.use(options.secondaryLimit.middleware)
  app.use(renamed(engine))
  app.use(access(engine))
  app.use(faults.middleware)
  app.use(conditional)
  if (identity !== null) app.route('/', appRoutes(identity.id, credentials, engine))
  app.route('/', hookRoutes(engine, options.deliveries))
  app.route('/', githubRoutes({ engine, rateLimit }))
  app.route('/', groupRoutes(engine, read))
  app.route('/', runnerDetails(engine, options.entropy))
  app.route('/', runnersRoutes({ engine, read, url: options.runnersUrl }))
  const search = createReader(engine, faults, faults.searchLagMs)
  app.route('/', runListRoutes({ engine, read, search }))
  app.route('/', deploymentRoutes(engine, read))
  const logAt = (id: number) => logAddress(options.url, id, token, engine.clock)
  app.route('/', runRoutes({ engine, read, logAddress: logAt }))
}

function admitted(token: string): MiddlewareHandler {
  return async (c, next) => {
    const given = bearerOf(c.req.header('authorization'))
    return given !== null && isSameSecret(given, token) ? next() : refuse(c, 401, 'Bad credentials')
  }
}

/** The App's own paths want its own word, all others a token. */
function authenticated(credentials: Credentials): MiddlewareHandler {
  return async (c, next) => {
    const given = bearerOf(c.req.header('authorization'))
    if (given === null) return refuse(c, 401, 'Requires authentication')
    const judged = credentials.judge(given)
    if ('refused' in judged) return refuse(c, 401, judged.refused)
    const isForApp = isAppPath(c.req.path)
    const isApp = judged.caller.kind === 'app'
    if (isForApp && !isApp) return refuse(c, 401, 'A JSON web token could not be decoded')
    if (!isForApp && isApp) return refuse(c, 401, 'Bad credentials')
    noteCaller(c, judged.caller)
    return next()
  }
}
