import type { Hono } from 'hono'
import {
  type ForgeStatus,
  type IncidentList,
  incidentIdSchema,
  incidentQuerySchema,
  incidentView,
  iso,
  type ResyncReport,
  type RetryAnswer,
} from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead, mayWrite } from '../request/access.ts'
import { parsePart, parseQuery } from '../request/parse.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'forge' | 'about' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** The forge as a whole: incidents, rate limit, and a resync on demand. */
export function forgeRoutes(app: Hono, deps: Deps, closing: AbortSignal): void {
  const { ledger, forge, about } = deps
  let isResyncing = false

  app.get('/v1/incidents', mayRead(deps), async (context) => {
    const { closed } = parseQuery(context, incidentQuerySchema)
    const [now, incidents] = await Promise.all([ledger.now(), ledger.incidents(closed)])
    return context.json({ at: iso(now), incidents: incidents.map(incidentView) } satisfies IncidentList)
  })

  // An operator who has fixed the cause need not wait for the next retry.
  app.post('/v1/incidents/:incident/retry', mayWrite(deps), async (context) => {
    const id = parsePart(context.req.param('incident'), incidentIdSchema)
    const incident = (await ledger.incidents(0)).find((each) => each.id === id)
    if (incident === undefined) throw new HoldfastError('E_INCIDENT_UNKNOWN', { id })
    await ledger.liftIncident(incident)
    return context.json({ retried: true, incident: id } satisfies RetryAnswer)
  })

  app.get('/v1/forge', mayRead(deps), async (context) => {
    const [now, allowance] = await Promise.all([ledger.now(), forge.budget(context.req.raw.signal)])
    const { kind, url } = about.forge
    const { installation } = about
    return context.json({ at: iso(now), kind, url, installation, ...allowance } satisfies ForgeStatus)
  })

  // One resync at a time: each costs calls, and a second one would find nothing more.
  app.post('/v1/forge/resync', mayWrite(deps), async (context) => {
    if (isResyncing) throw new HoldfastError('E_OVERLOADED', { what: 'resyncs', max: 1 })
    isResyncing = true
    try {
      const report = await forge.resync(AbortSignal.any([context.req.raw.signal, closing]))
      return context.json(report satisfies ResyncReport)
    } catch (error) {
      if (!closing.aborted) throw error
      throw new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'a resync', why: 'Holdfast is stopping' }, error)
    } finally {
      isResyncing = false
    }
  })
}
