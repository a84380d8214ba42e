import type { Hono } from 'hono'
import { type HostList, hostView, iso, type NodeList, nodeView } from '../../api/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead } from '../request/access.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** Agents push every minute: one that was silent for longer than some of them is away. */
const pushedWithinMs = 5 * 60_000
const nodesMax = 5_000

/** Machines and clusters that run runners, and the nodes of agents. */
export function hostRoutes(app: Hono, deps: Deps): void {
  app.get('/v1/hosts', mayRead(deps), async (context) => {
    const [now, hosts] = await Promise.all([deps.ledger.now(), deps.ledger.hosts()])
    return context.json({ at: iso(now), hosts: hosts.map((row) => hostView(row, now)) } satisfies HostList)
  })
  app.get('/v1/nodes', mayRead(deps), async (context) => {
    const within = { pushedWithinMs, limit: nodesMax + 1 }
    const [now, found] = await Promise.all([deps.ledger.now(), deps.ledger.nodeSamples(within)])
    const nodes = found.slice(0, nodesMax).map(nodeView)
    return context.json({ at: iso(now), nodes, isCut: found.length > nodesMax } satisfies NodeList)
  })
}
