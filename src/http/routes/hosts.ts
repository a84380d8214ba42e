import type { Hono } from 'hono'
import { type HostList, hostView, iso } from '../../api/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead } from '../request/access.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** Machines and clusters that run runners. */
export function hostRoutes(app: Hono, deps: Deps): void {
  app.get('/v1/hosts', mayRead(deps), async (context) => {
    const [now, hosts] = await Promise.all([deps.ledger.now(), deps.ledger.hosts()])
    return context.json({ at: iso(now), hosts: hosts.map((row) => hostView(row, now)) } satisfies HostList)
  })
}
