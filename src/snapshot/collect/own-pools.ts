import { counted } from '../../domain/format.ts'
import {
  type ClusterFacts,
  isWhole,
  type Listing,
  type NodeFact,
  type NodeProbeFact,
  type PodFact,
  type PodTemplateFact,
  type RunnerFact,
  type ScaleSetFact,
  type Unread,
} from '../../domain/snapshot/index.ts'

/** The pools and runners of a Holdfast, in the shape of all fleets. */
export interface OwnPools {
  readonly scaleSets: Listing<ScaleSetFact>
  readonly runners: Listing<RunnerFact>
  /** Recent samples of nodes by its agents. */
  readonly nodeProbes: Listing<NodeProbeFact>
}

/** Our own pools in the same lists as everybody's. A list without others' items has our source. */
export function withOwnPools(cluster: ClusterFacts, own: OwnPools | Unread | null): ClusterFacts {
  if (own === null) return cluster
  const { scaleSets, runners } = cluster
  if (!('scaleSets' in own)) {
    return { ...cluster, scaleSets: alsoUnread(scaleSets, own), runners: alsoUnread(runners, own) }
  }
  const newest = newestPods(cluster.pods.items)
  const sets = own.scaleSets.items.map((set) => ({ ...set, template: newest.get(set.name) ?? set.template }))
  return {
    ...cluster,
    scaleSets: joined(scaleSets, { ...own.scaleSets, items: sets }),
    runners: joined(runners, own.runners),
    nodeProbes: probesOf(own.nodeProbes, cluster.nodes),
  }
}

/** The probes that agents took; a node without one is unread, and named. */
function probesOf(probes: Listing<NodeProbeFact>, nodes: Listing<NodeFact>): Listing<NodeProbeFact> {
  const probed = new Set(probes.items.map(({ node }) => node))
  const silent = nodes.items.filter(({ name }) => !probed.has(name))
  const [first] = silent
  const missing: Unread[] =
    first === undefined || !isWhole(probes)
      ? []
      : [
          {
            what: `probes of ${counted(silent.length, 'node')}, ${first.name} first`,
            why: 'no agent reported from there in the last minutes',
            needs: 'the agent on every node',
          },
        ]
  return { ...probes, unread: [...probes.unread, ...missing, ...nodes.unread] }
}

/** The newest pod of each pool: it is what the pool's template came to. */
function newestPods(pods: readonly PodFact[]): ReadonlyMap<string, PodTemplateFact> {
  const newest = new Map<string, PodFact>()
  for (const pod of pods) {
    const pool = pod.labels[poolLabel]
    if (pool === undefined) continue
    if ((newest.get(pool)?.createdAt ?? 0) <= (pod.createdAt ?? 0)) newest.set(pool, pod)
  }
  return new Map([...newest].map(([pool, pod]) => [pool, templateOf(pod)]))
}

const poolLabel = 'holdfast.dev/pool'

function templateOf(pod: PodFact): PodTemplateFact {
  const { containers, nodeSelector, tolerations, nodeAffinity, volumes } = pod
  const { imagePullSecrets, priorityClass, serviceAccount, overhead, labels, podRules } = pod
  return {
    containers,
    nodeSelector,
    tolerations,
    nodeAffinity,
    volumes,
    imagePullSecrets,
    priorityClass,
    serviceAccount,
    overhead,
    labels,
    podRules,
  }
}

function alsoUnread<T>(listing: Listing<T>, unread: Unread): Listing<T> {
  return { ...listing, unread: [...listing.unread, unread] }
}

function joined<T>(theirs: Listing<T>, ours: Listing<T>): Listing<T> {
  const isOurs = theirs.items.length === 0 && ours.items.length > 0
  return {
    source: isOurs ? ours.source : theirs.source,
    at: Math.min(theirs.at, ours.at),
    items: [...theirs.items, ...ours.items],
    unread: [...theirs.unread, ...ours.unread],
  }
}
