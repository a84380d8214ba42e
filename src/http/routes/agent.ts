import type { Context, Hono } from 'hono'
import { type RingAnswer, ringPushSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { ProvenAgent } from '../../ports/host-agent.ts'
import type { HttpDeps } from '../deps.ts'
import { bearerToken } from '../request/access.ts'
import { parseBody } from '../request/parse.ts'

/** A ring has some 50 KB; the contract's bounds allow for some 250. */
const bodyBytesMax = 384 * 1024
/** With the bound above: at most 12 MB of rings under way. */
const ringsAtOnceMax = 32

type Deps = Pick<HttpDeps, 'ledger' | 'agents'>

/** Where agents push their samples of pods. The agent is authenticated before its body is read. */
export function agentRoutes(app: Hono, { ledger, agents }: Deps): void {
  let underWay = 0
  app.post('/v1/agent/rings', async (context) => {
    const agent = await authenticate(context, agents)
    if (underWay >= ringsAtOnceMax) {
      throw new HoldfastError('E_OVERLOADED', { what: 'pushes of samples', max: ringsAtOnceMax })
    }
    underWay += 1
    try {
      const ring = await parseBody(context, ringPushSchema, bodyBytesMax)
      if (agent.node !== null && agent.node !== ring.node) {
        throw new HoldfastError('E_AGENT_NODE', { of: agent.node, podUid: ring.podUid, node: ring.node })
      }
      const kind = await ledger.putHostSamples(ring)
      return context.json({ kind } satisfies RingAnswer, 202)
    } finally {
      underWay -= 1
    }
  })
}

async function authenticate(context: Context, agents: Deps['agents']): Promise<ProvenAgent> {
  const proof = bearerToken(context)
  if (proof === undefined) throw new HoldfastError('E_AGENT_REFUSED')
  const { signal } = context.req.raw
  const agent = await agents.of(proof, signal).catch((error: unknown) => {
    throw signal.aborted ? new HoldfastError('E_REQUEST_CUT', {}, error) : error
  })
  if (agent === null) throw new HoldfastError('E_AGENT_REFUSED')
  return agent
}
