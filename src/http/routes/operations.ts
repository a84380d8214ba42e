import type { Hono } from 'hono'
import type { AboutAnswer } from '../../api/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead, maySee } from '../request/access.ts'

type Deps = Pick<
  HttpDeps,
  'about' | 'ledger' | 'health' | 'metrics' | 'operatorToken' | 'isLoopback' | 'publicUrl'
>

/** Endpoints for machines: about, liveness, readiness, metrics. */
export function operationRoutes(app: Hono, deps: Deps): void {
  app.get('/v1/about', mayRead(deps), async (context) => {
    // The answer must not depend on the ledger.
    const openIncidents = await deps.ledger.incidents(0).then(
      (open) => open.length,
      () => null,
    )
    return context.json({ ...deps.about, openIncidents } satisfies AboutAnswer)
  })

  app.get('/metrics', mayRead(deps), async (context) =>
    context.body(await deps.metrics.text(), 200, { 'content-type': deps.metrics.contentType }),
  )

  app.get('/livez', (context) => {
    const liveness = deps.health.live()
    return context.json(liveness, liveness.live ? 200 : 503)
  })

  app.get('/readyz', async (context) => {
    const readiness = await deps.health.ready()
    const status = readiness.ready ? 200 : 503
    if (maySee(context, deps)) return context.json(readiness, status)
    // A probe needs the status alone; the reason may reveal internals.
    const parts = readiness.parts.map(({ name, ready }) => ({ name, ready }))
    return context.json({ ready: readiness.ready, parts }, status)
  })
}
