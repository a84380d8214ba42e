import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../deps.ts'
import { isLoopbackHost } from '../loopback.ts'
import { incomingOf } from './incoming.ts'

type AccessDeps = Pick<HttpDeps, 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** What proxies say of themselves. */
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/** Reading is open on a loopback address; from elsewhere it needs the operator's token. */
export function mayRead(deps: AccessDeps): MiddlewareHandler {
  return async (context, next) => {
    if (!maySee(context, deps)) refuse(context, 'read', 'Basic')
    await next()
  }
}

/** What others should not see needs the token on a loopback address too, such as logs: jobs write what they want. */
export function mayReadPrivate(deps: AccessDeps): MiddlewareHandler {
  return async (context, next) => {
    if (!maySeePrivate(context, deps)) refuse(context, 'read a log', 'Basic')
    await next()
  }
}

/** Whether this question may see what others should not: the words of jobs, and errors of ours. */
export function maySeePrivate(context: Context, deps: AccessDeps): boolean {
  return shows(presentedToken(context), deps)
}

/** Whether it may read what is open to this machine. */
export function maySee(context: Context, deps: AccessDeps): boolean {
  return isLocalQuestion(context, deps) || maySeePrivate(context, deps)
}

/** Writing always needs the token, and as a bearer: browsers send basic credentials along by themselves. */
export function mayWrite(deps: AccessDeps): MiddlewareHandler {
  return async (context, next) => {
    if (!shows(bearerToken(context), deps)) refuse(context, 'change something', 'Bearer')
    await next()
  }
}

export function bearerToken(context: Context): string | undefined {
  return bearerIn(context.req.header('authorization'))
}

/** The token of an `Authorization` header. */
export function bearerIn(authorization = ''): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

/** A foreign page whose name was made to lead to this machine asks by that name, and gets nothing. */
function isLocalQuestion(context: Context, deps: AccessDeps): boolean {
  const host = (context.req.header('host') ?? '').replace(/:\d+$/, '')
  return deps.isLoopback && isLoopbackHost(host) && !mayBeForwarded(context, deps)
}

/**
 * A proxy on this machine makes every stranger look local. Most say that they are one; nginx, as it comes, does not, gives our
 * own address as the host, and speaks HTTP/1.0, which no browser, curl or Prometheus does.
 */
function mayBeForwarded(context: Context, { publicUrl }: AccessDeps): boolean {
  if (publicUrl !== null && !isLoopbackHost(new URL(publicUrl).hostname)) return true
  if (incomingOf(context)?.httpVersion === '1.0') return true
  return forwardingHeaders.some((name) => context.req.header(name) !== undefined)
}

/** A browser shows the token as the password, whatever the user's name is. */
function presentedToken(context: Context): string | undefined {
  const basic = /^basic +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
  if (basic === undefined) return bearerToken(context)
  const pair = Buffer.from(basic, 'base64').toString('utf8')
  return pair.slice(pair.indexOf(':') + 1)
}

/** Compared by digest, so that the time tells nothing, not even the length. */
function shows(token: string | undefined, deps: AccessDeps): boolean {
  if (token === undefined || deps.operatorToken === '') return false
  return timingSafeEqual(digest(token), digest(deps.operatorToken))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function refuse(context: Context, act: string, scheme: 'Basic' | 'Bearer'): never {
  context.header('www-authenticate', `${scheme} realm="holdfast"`)
  throw new HoldfastError('E_TOKEN_REQUIRED', { act })
}
