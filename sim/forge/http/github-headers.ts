import { createHash } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { Instant } from '../../../src/ports/clock.ts'
import type { Entropy } from '../../../src/ports/entropy.ts'
import { randomHex } from '../core/index.ts'

const apiVersion = '2022-11-28'

/** The headers that GitHub puts on every answer of its API. */
export function githubHeaders(entropy: Entropy, now: () => Instant): MiddlewareHandler {
  return async (c, next) => {
    await next()
    c.header('date', new Date(now()).toUTCString())
    c.header('x-github-request-id', requestId(entropy))
    c.header('x-github-media-type', 'github.v3; format=json')
    c.header('x-github-api-version-selected', c.req.header('x-github-api-version') ?? apiVersion)
    c.header('cache-control', 'private, max-age=60, s-maxage=60')
    c.header('vary', 'Accept, Authorization, Cookie, X-GitHub-OTP')
    if (c.res.headers.get('content-type')?.startsWith('application/json')) {
      c.header('content-type', 'application/json; charset=utf-8')
    }
  }
}

function requestId(entropy: Entropy): string {
  const hex = randomHex(entropy, 17).toUpperCase()
  return [hex.slice(0, 4), hex.slice(4, 10), hex.slice(10, 18), hex.slice(18, 26), hex.slice(26)].join(':')
}

/** Answers 304 to a reader who has the newest already. */
export const conditional: MiddlewareHandler = async (c, next) => {
  await next()
  if (c.req.method !== 'GET' || c.res.status !== 200) return
  const body = Buffer.from(await c.res.clone().arrayBuffer())
  const tag = `"${createHash('sha256').update(body).digest('hex')}"`
  c.header('etag', `W/${tag}`)
  const known = (c.req.header('if-none-match') ?? '')
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
  if (!known.includes(tag) && !known.includes('*')) return
  const { headers } = c.res
  c.res = undefined
  c.res = new Response(null, { status: 304, headers: withoutBody(headers) })
}

function withoutBody(headers: Headers): Headers {
  const kept = new Headers(headers)
  kept.delete('content-type')
  kept.delete('content-length')
  return kept
}
