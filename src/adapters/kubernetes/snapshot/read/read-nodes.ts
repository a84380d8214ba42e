import type { Listing, NodeFact, NodeSettingsFact, NodeUsageFact } from '../../../../domain/snapshot/index.ts'
import { type Cursor, cursorOf } from '../parse/cursor.ts'
import { parseNodeSettings, parseNodeUsage } from '../parse/node.ts'
import type { ReadContext } from './context.ts'
import { readEach } from './read-each.ts'

/** A kubelet that needs longer is in trouble, and its node is one of many. */
const nodeTimeoutMs = 10_000

/** The kubelets' own statistics, through the API server. */
export function readNodeUsage(
  nodes: Listing<NodeFact>,
  context: ReadContext,
): Promise<Listing<NodeUsageFact>> {
  const parse = (answer: Cursor, node: string) => parseNodeUsage(answer, node, context.clock.now())
  return readFromNodes({ title: 'statistics', document: 'stats/summary', parse }, nodes, context)
}

/** The kubelets' own settings, through the API server. */
export function readNodeSettings(
  nodes: Listing<NodeFact>,
  context: ReadContext,
): Promise<Listing<NodeSettingsFact>> {
  return readFromNodes({ title: 'settings', document: 'configz', parse: parseNodeSettings }, nodes, context)
}

interface NodeDocument<T> {
  readonly title: string
  readonly document: string
  readonly parse: (answer: Cursor, node: string) => T
}

async function readFromNodes<T>(
  { title, document, parse }: NodeDocument<T>,
  nodes: Listing<NodeFact>,
  context: ReadContext,
): Promise<Listing<T>> {
  const at = context.clock.now()
  const order = {
    title: `${title} of nodes`,
    right: 'get nodes/proxy',
    sources: nodes.items.map(({ name }) => name),
    nameOf: (node: string) => `${title} of ${node}`,
    async read(node: string) {
      const path = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/${document}`
      const answer = await context.reads.getOnce(path, nodeTimeoutMs, context.signal)
      return parse(cursorOf(answer, context.mask), node)
    },
  }
  const { items, unread } = await readEach(order, context)
  return { source: 'kubelet', at, items, unread: [...nodes.unread, ...unread] }
}
