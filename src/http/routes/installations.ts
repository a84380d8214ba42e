import type { Hono } from 'hono'
import { installationSchema, type RetireAnswer, retireQuerySchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayWrite } from '../request/access.ts'
import { parsePart, parseQuery } from '../request/parse.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'about' | 'retire' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** Retires a forge installation that is not served any more. */
export function installationRoutes(app: Hono, deps: Deps): void {
  const { ledger, about } = deps

  app.post('/v1/installations/:installation/retire', mayWrite(deps), async (context) => {
    const name = parsePart(context.req.param('installation'), installationSchema)
    const { dryRun } = parseQuery(context, retireQuerySchema)
    if (name === about.installation) throw new HoldfastError('E_INSTALLATION_SERVED', { installation: name })
    const all = await ledger.installations()
    const found = all.find((row) => row.name === name)
    if (found === undefined) {
      const known = all.map((row) => row.name)
      throw new HoldfastError('E_INSTALLATION_UNKNOWN', { installation: name, known })
    }
    const counted = {
      installation: name,
      dryRun,
      jobs: found.openJobs,
      attempts: found.openAttempts,
      liveRunners: found.liveRunners,
      deliveries: found.pendingDeliveries,
      incidents: found.openIncidents,
      failed: [],
    }
    if (dryRun) return context.json(counted satisfies RetireAnswer)
    const { failed, ...done } = await deps.retire(found)
    return context.json({ ...counted, ...done, failed: [...failed] } satisfies RetireAnswer)
  })
}
