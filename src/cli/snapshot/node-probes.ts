import { type ApiNode, nodeListSchema } from '../../api/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import { type Listing, type NodeProbeFact, unreadListing } from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { Client } from '../client/client.ts'

const timeoutMs = 5_000
const what = 'probes of nodes'

/** Probes of nodes by the agents of a running Holdfast; an older one does not serve them. */
export async function readNodeProbes(server: Client, now: Instant): Promise<Listing<NodeProbeFact>> {
  try {
    const { at, nodes, isCut } = await server.get('/v1/nodes', nodeListSchema, { timeoutMs })
    const cut = { what: `more ${what}`, why: `one answer holds ${nodes.length}`, needs: null }
    return { source: 'agent', at: Date.parse(at), items: nodes.map(probeOf), unread: isCut ? [cut] : [] }
  } catch (error) {
    const needs = 'a Holdfast that serves GET /v1/nodes'
    return unreadListing('agent', now, { what, why: reasonOf(error), needs })
  }
}

function probeOf({ node, at, filesOpen, filesMax }: ApiNode): NodeProbeFact {
  return {
    node,
    at: Date.parse(at),
    fileTable: filesOpen === null || filesMax === null ? null : { allocated: filesOpen, max: filesMax },
    // Agents look at neither.
    openFilesMax: null,
    workers: null,
  }
}
