import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../deps.ts'
import { isLoopbackHost } from '../loopback.ts'
import { incomingOf } from './incoming.ts'

type AccessDeps = Pick<HttpDeps, 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** Headers that proxies add. */
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

/** Private data needs the token on a loopback address too, such as logs: jobs write what they want. */
export function mayReadPrivate(deps: AccessDeps): MiddlewareHandler {
  return async (context, next) => {
    if (!maySeePrivate(context, deps)) refuse(context, 'read a log', 'Basic')
    await next()
  }
}

/** Whether this request may read private data: the output of jobs, and our own errors. */
export function maySeePrivate(context: Context, deps: AccessDeps): boolean {
  return isOperatorToken(presentedToken(context), deps)
}

/** Whether this request may read what is open to this machine. */
export function maySee(context: Context, deps: AccessDeps): boolean {
  return isLocalRequest(context, deps) || maySeePrivate(context, deps)
}

/** Writing always needs the token, and as a bearer: browsers send basic credentials along by themselves. */
export function mayWrite(deps: AccessDeps): MiddlewareHandler {
  return async (context, next) => {
    if (!isOperatorToken(bearerToken(context), deps)) refuse(context, 'change something', 'Bearer')
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

/** DNS rebinding: a page whose foreign name resolves to this machine sends that name as the host, and is refused. */
function isLocalRequest(context: Context, deps: AccessDeps): boolean {
  const host = (context.req.header('host') ?? '').replace(/:\d+$/, '')
  return deps.isLoopback && isLoopbackHost(host) && !mayBeForwarded(context, deps)
}

/**
 * A proxy on this machine makes every client look local. Most add a header; nginx by default adds none, sends our own address
 * as the host, and speaks HTTP/1.0, which no browser, curl or Prometheus does.
 */
function mayBeForwarded(context: Context, { publicUrl }: AccessDeps): boolean {
  if (publicUrl !== null && !isLoopbackHost(new URL(publicUrl).hostname)) return true
  if (incomingOf(context)?.httpVersion === '1.0') return true
  return forwardingHeaders.some((name) => context.req.header(name) !== undefined)
}

/** A browser sends the token as the password, with any user name. */
function presentedToken(context: Context): string | undefined {
  const basic = /^basic +(\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1]
  if (basic === undefined) return bearerToken(context)
  const pair = Buffer.from(basic, 'base64').toString('utf8')
  return pair.slice(pair.indexOf(':') + 1)
}

/** Compares digests in constant time, so that the time reveals nothing, not even the length. */
function isOperatorToken(token: string | undefined, deps: AccessDeps): boolean {
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
