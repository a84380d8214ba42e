import {
  type Amounts,
  isWhole,
  keyOf,
  type NodeFact,
  type ObjectRef,
  type PodFact,
  type QuotaFact,
  type ScaleSetFact,
  type Snapshot,
} from '../snapshot/index.ts'
import { placementRefusal } from './placement.ts'
import { ruledPlacements } from './pod-rules.ts'
import { added, type PodAmounts, podAmounts } from './requests.ts'

/** A set of runners as the model places it. */
export interface CapacityLane extends ObjectRef {
  readonly labels: readonly string[]
  /** Null: none is declared, which counts as what fits. */
  readonly maxRunners: number | null
  readonly amounts: PodAmounts
  /** Claims of its pods by storage class. */
  readonly claims: readonly { readonly storageClass: string; readonly bytes: number }[]
  /** Names of the nodes that its pods may be placed on. */
  readonly nodes: readonly string[]
  /** Needs of rules between pods: every node has `exclusionRoom` of each. */
  readonly exclusions: Amounts
  /** Its pods that are not over, by node. */
  readonly placed: ReadonlyMap<string, number>
  /** Its pods that wait for a node. */
  readonly unscheduled: number
}

interface CapacityNode {
  readonly name: string
  readonly allocatable: Amounts
  /** Requests of pods that belong to no lane. */
  readonly base: Amounts
  readonly fact: NodeFact
}

/** A quota of a namespace, less what others than lanes use. */
interface CapacityQuota extends ObjectRef {
  readonly hard: Amounts
  readonly free: Amounts
}

/** The numbers that decide how many runners of each label can run at once. */
export interface CapacityModel {
  readonly lanes: readonly CapacityLane[]
  readonly nodes: readonly CapacityNode[]
  readonly quotas: readonly CapacityQuota[]
  /** Free bytes by storage class, where a driver reports them. */
  readonly storage: ReadonlyMap<string, number>
  /** False where no node could be read: then nothing can be placed, and a figure of 0 would be a claim. */
  readonly areNodesKnown: boolean
  /** Facts that are unknown, and for which no figure stands in. */
  readonly unknown: readonly string[]
}

/** Builds the model. Finished pods hold no resources; a pod of a runner belongs to its set, every other is base load. */
export function capacityModel({ cluster, scope }: Snapshot): CapacityModel {
  const setByRunner = new Map(
    cluster.runners.items.flatMap((runner) =>
      runner.scaleSet === null ? [] : [[keyOf(runner), keyOf(runner.scaleSet)] as const],
    ),
  )
  const live = cluster.pods.items.filter(({ phase }) => phase !== 'Succeeded' && phase !== 'Failed')
  const podsBySet = Map.groupBy(live, (pod) => setByRunner.get(keyOf(pod)))
  const rangesByNamespace = Map.groupBy(cluster.limitRanges.items, ({ namespace }) => namespace)
  const amountsOf = (set: ScaleSetFact) => podAmounts(set.template, rangesByNamespace.get(set.namespace))
  const basePods = Map.groupBy(podsBySet.get(undefined) ?? [], ({ node }) => node)
  const sets = cluster.scaleSets.items.filter(({ deletedAt }) => deletedAt === null)
  const unruled = sets.map((set) =>
    laneOf(set, podsBySet.get(keyOf(set)) ?? [], amountsOf(set), cluster.nodes.items),
  )
  const ruled = ruledPlacements(
    unruled.map((lane, index) => ({
      ...lane,
      podLabels: podLabelsOf(sets[index] as ScaleSetFact, podsBySet.get(keyOf(lane)) ?? []),
      rules: sets[index]?.template.podRules ?? null,
    })),
    cluster.nodes.items,
    podsBySet.get(undefined) ?? [],
  )
  const lanes = unruled.map((lane, index) => ({ ...lane, ...ruled.placements[index] }))
  return {
    lanes,
    nodes: cluster.nodes.items.map((fact) => ({
      fact,
      name: fact.name,
      allocatable: fact.allocatable,
      base: (basePods.get(fact.name) ?? []).reduce(withPod, {}),
    })),
    quotas: cluster.quotas.items
      .filter(({ isScoped }) => !isScoped)
      .map((quota) => quotaOf(quota, podsBySet)),
    storage: storageOf(cluster),
    areNodesKnown: cluster.nodes.items.length > 0 || isWhole(cluster.nodes),
    unknown: [...unknownByScope(scope), ...unknownIn(cluster), ...unknownRules(sets), ...ruled.unknown],
  }
}

function laneOf(
  set: ScaleSetFact,
  pods: readonly PodFact[],
  amounts: PodAmounts,
  nodes: readonly NodeFact[],
): CapacityLane {
  const placed = new Map<string, number>()
  for (const { node } of pods) if (node !== null) placed.set(node, (placed.get(node) ?? 0) + 1)
  return {
    namespace: set.namespace,
    name: set.name,
    labels: set.runnerLabels,
    maxRunners: set.maxRunners,
    amounts: { ...amounts, requests: { ...amounts.requests, pods: 1 } },
    claims: set.template.volumes.flatMap(({ kind, storageClass, sizeBytes }) =>
      kind === 'ephemeral-claim' && storageClass !== null ? [{ storageClass, bytes: sizeBytes ?? 0 }] : [],
    ),
    nodes: nodes.filter((node) => placementRefusal(set.template, node) === null).map(({ name }) => name),
    exclusions: {},
    placed,
    unscheduled: pods.filter(({ node }) => node === null).length,
  }
}

/** Labels that ARC adds to those of the template; where a pod is there, it says them all. */
function podLabelsOf(set: ScaleSetFact, [pod]: readonly PodFact[]): Readonly<Record<string, string>> {
  const added =
    set.origin === 'arc'
      ? {
          'actions-ephemeral-runner': 'True',
          'actions.github.com/scale-set-name': set.name,
          'actions.github.com/scale-set-namespace': set.namespace,
          'app.kubernetes.io/component': 'runner',
        }
      : {}
  return { ...set.template.labels, ...added, ...pod?.labels }
}

function withPod(sum: Amounts, pod: PodFact): Amounts {
  return added(sum, { ...podAmounts(pod).requests, pods: 1 })
}

/** A lane's own pods are in the quota's use: they are given back, because the model places them itself. */
function quotaOf(
  quota: QuotaFact,
  podsBySet: ReadonlyMap<string | undefined, readonly PodFact[]>,
): CapacityQuota {
  const own: Record<string, number> = {}
  for (const [set, pods] of podsBySet) {
    if (set === undefined) continue
    for (const pod of pods) {
      if (pod.namespace !== quota.namespace) continue
      for (const name of Object.keys(quota.hard))
        own[name] = (own[name] ?? 0) + quotaNeed(podAmounts(pod), name)
    }
  }
  const free = Object.entries(quota.hard).map(([name, hard]) => [
    name,
    hard - Math.max(0, (quota.used[name] ?? 0) - (own[name] ?? 0)),
  ])
  return {
    namespace: quota.namespace,
    name: quota.name,
    hard: quota.hard,
    free: Object.fromEntries(free) as Amounts,
  }
}

/** How much of a quota's resource one pod takes. */
export function quotaNeed({ requests, limits }: PodAmounts, resource: string): number {
  if (resource === 'pods' || resource === 'count/pods') return 1
  if (resource.startsWith('limits.')) return limits[resource.slice('limits.'.length)] ?? 0
  return requests[resource.replace(/^requests\./, '')] ?? 0
}

function storageOf({ storageCapacity }: Snapshot['cluster']): ReadonlyMap<string, number> {
  const free = new Map<string, number>()
  for (const { storageClass, availableBytes } of storageCapacity.items)
    if (availableBytes !== null) free.set(storageClass, (free.get(storageClass) ?? 0) + availableBytes)
  return free
}

/** Pods that a narrowed snapshot leaves out hold resources all the same. */
function unknownByScope({ namespaces, labels }: Snapshot['scope']): string[] {
  return namespaces === null && labels === null
    ? []
    : [
        'pods of other namespaces and labels: the snapshot was narrowed, and its nodes look emptier than they are',
      ]
}

/** Only of sets whose pods are known at all. */
function unknownRules(sets: readonly ScaleSetFact[]): string[] {
  const blind = sets.filter(({ template }) => template.podRules === null && template.containers.length > 0)
  if (blind.length === 0) return []
  return [
    `pod affinity and topology spread of ${blind.length} sets: the snapshot is of an older version, which did not read them`,
  ]
}

function unknownIn(cluster: Snapshot['cluster']): string[] {
  const decisive = [
    cluster.scaleSets,
    cluster.runners,
    cluster.pods,
    cluster.nodes,
    cluster.quotas,
    cluster.limitRanges,
  ]
  return [
    ...decisive.flatMap(({ unread }) => unread.map(({ what, why }) => `${what}: ${why}`)),
    ...cluster.quotas.items
      .filter(({ isScoped }) => isScoped)
      .map(({ namespace, name }) => `the quota ${namespace}/${name} counts some pods only, and is left out`),
  ]
}
