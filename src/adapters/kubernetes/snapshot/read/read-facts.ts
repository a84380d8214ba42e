import {
  type ClusterFacts,
  isWhole,
  type ListenerFact,
  type Listing,
  type SnapshotScope,
  unreadListing,
} from '../../../../domain/snapshot/index.ts'
import type { Hash } from '../parse/secret.ts'
import type { ReadContext } from './context.ts'
import { arcKinds, plainKinds } from './kinds.ts'
import { listKind } from './list-kind.ts'
import { narrowArc, narrowPods } from './narrow.ts'
import { readLogs, readRunnerLogs } from './read-logs.ts'
import { readNodeSettings, readNodeUsage } from './read-nodes.ts'
import { readSecrets } from './read-secrets.ts'
import { readServices } from './read-services.ts'

/** ARC's objects first, since they say which namespaces matter; kubelets, logs and Secrets last, since pods and nodes do. */
export async function readFacts(
  scope: SnapshotScope,
  hash: Hash,
  context: ReadContext,
): Promise<ClusterFacts> {
  const arc = await readArc(scope, context)
  const namespaces = namespacesOf(scope, arc.listeners)
  const [plain, services] = await Promise.all([
    readPlain(namespaces, context),
    readServices(namespaces, context),
  ])
  const pods = narrowPods(plain.pods, arc.scaleSets, scope)
  const seen = { ...arc, ...plain, pods }
  const askedNodes = nodesInScope(plain.nodes, scope)
  const [nodeUsage, nodeSettings, logs, runnerLogs, secrets] = await Promise.all([
    readNodeUsage(askedNodes, context),
    readNodeSettings(askedNodes, context),
    readLogs(pods, context),
    readRunnerLogs(pods, context),
    readSecrets(seen, namespaces, hash, context),
  ])
  const noProbes = {
    what: 'probes of nodes',
    why: 'the cluster does not have them',
    needs: 'a Holdfast that answers, with its agent on the nodes',
  }
  const nodeProbes = unreadListing('agent', context.clock.now(), noProbes)
  return { ...seen, services, nodeUsage, nodeSettings, nodeProbes, secrets, logs, runnerLogs }
}

async function readArc(scope: SnapshotScope, context: ReadContext) {
  const { namespaces } = scope
  const [scaleSets, listeners, runnerSets, runners] = await Promise.all([
    listKind(arcKinds.scaleSets, namespaces, context),
    readListeners(namespaces, context),
    listKind(arcKinds.runnerSets, namespaces, context),
    listKind(arcKinds.runners, namespaces, context),
  ])
  return narrowArc({ scaleSets, listeners, runnerSets, runners }, scope)
}

/** A listener stands in its controller's namespace, whatever that is; where not all may be read, those that may. */
async function readListeners(
  namespaces: readonly string[] | null,
  context: ReadContext,
): Promise<Listing<ListenerFact>> {
  const everywhere = await listKind(arcKinds.listeners, null, context)
  if (namespaces === null || isWhole(everywhere)) return everywhere
  const inScope = await listKind(arcKinds.listeners, namespaces, context)
  return { ...inScope, unread: [...everywhere.unread, ...inScope.unread] }
}

/** Of the scope, and those in which the listeners of its sets stand. */
function namespacesOf(
  { namespaces }: SnapshotScope,
  { items }: Listing<ListenerFact>,
): readonly string[] | null {
  if (namespaces === null) return null
  return [...new Set([...namespaces, ...items.map(({ namespace }) => namespace)])]
}

type PlainFacts = Pick<ClusterFacts, keyof typeof plainKinds>

async function readPlain(namespaces: readonly string[] | null, context: ReadContext): Promise<PlainFacts> {
  const listings = await Promise.all(
    Object.entries(plainKinds).map(async ([key, kind]) => {
      // A Machine stands in the namespace of its cluster, whatever that is.
      const places = key === 'machines' ? null : namespaces
      return [key, await listKind<unknown>(kind, places, context)]
    }),
  )
  return Object.fromEntries(listings) as PlainFacts
}

/** Nodes themselves are all listed, since pods refer to them; only these are asked for more. */
function nodesInScope<T extends { readonly name: string }>(
  nodes: Listing<T>,
  { nodes: names }: SnapshotScope,
) {
  if (names === null) return nodes
  return { ...nodes, items: nodes.items.filter(({ name }) => names.includes(name)) }
}
