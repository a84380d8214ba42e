import type {
  ClusterFacts,
  Listing,
  ObjectRef,
  PodFact,
  ScaleSetFact,
  SnapshotScope,
} from '../../../../domain/snapshot/index.ts'

type ArcFacts = Pick<ClusterFacts, 'scaleSets' | 'listeners' | 'runnerSets' | 'runners'>

/** ARC's objects in scope: sets by namespace and label, and all that belongs to them. */
export function narrowArc(facts: ArcFacts, scope: SnapshotScope): ArcFacts {
  const { namespaces, labels } = scope
  if (namespaces === null && labels === null) return facts
  const scaleSets = {
    ...facts.scaleSets,
    items: facts.scaleSets.items.filter((set) => isSetInScope(set, scope)),
  }
  const isKept = belongsTo(scaleSets, scope)
  return {
    scaleSets,
    listeners: narrowed(facts.listeners, facts.scaleSets, scope, ({ scaleSet }) => isKept(scaleSet)),
    runnerSets: narrowed(facts.runnerSets, facts.scaleSets, scope, ({ scaleSet }) => isKept(scaleSet)),
    runners: narrowed(facts.runners, facts.scaleSets, scope, ({ scaleSet }) => isKept(scaleSet)),
  }
}

/** Pods without those of other scale sets; pods that belong to none stay. */
export function narrowPods(
  pods: Listing<PodFact>,
  scaleSets: Listing<ScaleSetFact>,
  scope: SnapshotScope,
): Listing<PodFact> {
  if (scope.labels === null) return pods
  const isKept = belongsTo(scaleSets, scope)
  return narrowed(pods, scaleSets, scope, (pod) => {
    const set = scaleSetOf(pod)
    return set === null || isKept(set)
  })
}

function isSetInScope(
  { namespace, runnerLabels }: ScaleSetFact,
  { namespaces, labels }: SnapshotScope,
): boolean {
  const isInside = namespaces === null || namespaces.includes(namespace)
  return isInside && (labels === null || runnerLabels.some((label) => labels.includes(label)))
}

/** By labels only sets that were seen count; by namespaces also those that are gone. */
function belongsTo({ items }: Listing<ScaleSetFact>, { namespaces, labels }: SnapshotScope) {
  const kept = new Set(items.map(keyOf))
  return (set: ObjectRef | null): boolean => {
    if (labels !== null) return set !== null && kept.has(keyOf(set))
    return set === null || namespaces === null || namespaces.includes(set.namespace)
  }
}

/** Which set has which labels is not known of sets that are unread: their parts are then unread as well. */
function narrowed<T>(
  listing: Listing<T>,
  scaleSets: Listing<ScaleSetFact>,
  { labels }: SnapshotScope,
  isKept: (item: T) => boolean,
): Listing<T> {
  const unread = labels === null ? listing.unread : [...listing.unread, ...scaleSets.unread]
  return { ...listing, items: listing.items.filter(isKept), unread }
}

function scaleSetOf({ labels }: PodFact): ObjectRef | null {
  const name = labels['actions.github.com/scale-set-name']
  const namespace = labels['actions.github.com/scale-set-namespace']
  return name === undefined || namespace === undefined ? null : { namespace, name }
}

function keyOf({ namespace, name }: ObjectRef): string {
  return `${namespace}/${name}`
}
