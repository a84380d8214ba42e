import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { HttpDeps } from '../deps.ts'

/** Measures each request under the pattern that it matched, never under its path. */
export function measure({ metrics, clock }: Pick<HttpDeps, 'metrics' | 'clock'>): MiddlewareHandler {
  return async (context, next) => {
    const startedAt = clock.now()
    await next()
    const route = matchedRoutes(context).findLast(({ path }) => !path.includes('*'))?.path ?? 'unmatched'
    const status = `${Math.floor(context.res.status / 100)}xx`
    metrics.observe('holdfast_http_request_seconds', { route, status }, (clock.now() - startedAt) / 1000)
  }
}
