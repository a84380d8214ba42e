import type {
  EventFact,
  ForgeJobFact,
  ForgeRunnerFact,
  ListenerFact,
  NodeFact,
  ObjectRef,
  PodFact,
  RunnerFact,
  RunnerSetFact,
  ScaleSetFact,
  Snapshot,
} from '../snapshot/index.ts'
import { keyOf } from '../snapshot/index.ts'

export { keyOf }

/** Lookups over a snapshot. Each is one pass, so that audits of 10,000 pods stay linear. */
export interface SnapshotJoins {
  readonly podByKey: ReadonlyMap<string, PodFact>
  readonly podsByNode: ReadonlyMap<string, readonly PodFact[]>
  readonly setByKey: ReadonlyMap<string, ScaleSetFact>
  readonly runnerByKey: ReadonlyMap<string, RunnerFact>
  readonly nodeByName: ReadonlyMap<string, NodeFact>
  /** By `namespace/name` of the scale set. */
  readonly listenersBySet: ReadonlyMap<string, readonly ListenerFact[]>
  readonly generationsBySet: ReadonlyMap<string, readonly RunnerSetFact[]>
  readonly runnersBySet: ReadonlyMap<string, readonly RunnerFact[]>
  readonly setsByLabel: ReadonlyMap<string, readonly ScaleSetFact[]>
  readonly forgeRunnerByName: ReadonlyMap<string, ForgeRunnerFact>
  /** Jobs that a runner of this name runs or ran. */
  readonly jobsByRunner: ReadonlyMap<string, readonly ForgeJobFact[]>
  /** By `kind/namespace/name` of the object that the event is about. */
  readonly eventsBySubject: ReadonlyMap<string, readonly EventFact[]>
}

export function joinSnapshot({ cluster, forge }: Snapshot): SnapshotJoins {
  return {
    podByKey: new Map(cluster.pods.items.map((pod) => [keyOf(pod), pod])),
    podsByNode: grouped(cluster.pods.items, (pod) => pod.node),
    setByKey: new Map(cluster.scaleSets.items.map((set) => [keyOf(set), set])),
    runnerByKey: new Map(cluster.runners.items.map((runner) => [keyOf(runner), runner])),
    nodeByName: new Map(cluster.nodes.items.map((node) => [node.name, node])),
    listenersBySet: grouped(cluster.listeners.items, ({ scaleSet }) => keyOf(scaleSet)),
    generationsBySet: grouped(cluster.runnerSets.items, ({ scaleSet }) => optionalKey(scaleSet)),
    runnersBySet: grouped(cluster.runners.items, ({ scaleSet }) => optionalKey(scaleSet)),
    setsByLabel: groupedByAll(cluster.scaleSets.items, ({ runnerLabels }) => runnerLabels),
    forgeRunnerByName: new Map(forge.runners.items.map((runner) => [runner.name, runner])),
    jobsByRunner: grouped(forge.jobs.items, ({ runnerName }) => runnerName),
    eventsBySubject: grouped(
      cluster.events.items,
      ({ namespace, subject }) => `${subject.kind}/${namespace}/${subject.name}`,
    ),
  }
}

/** The scale set of a runner's pod as `namespace/name`, by its runner or by ARC's labels; null for every other pod. */
export function setOfPod(joins: SnapshotJoins, pod: PodFact): string | null {
  const owner = optionalKey(joins.runnerByKey.get(keyOf(pod))?.scaleSet ?? null)
  if (owner !== null) return owner
  const name = pod.labels['actions.github.com/scale-set-name']
  const namespace = pod.labels['actions.github.com/scale-set-namespace']
  const isRunner = pod.labels['app.kubernetes.io/component'] === 'runner'
  return name !== undefined && namespace !== undefined && isRunner ? `${namespace}/${name}` : null
}

function optionalKey(ref: ObjectRef | null): string | null {
  return ref === null ? null : keyOf(ref)
}

function grouped<T>(
  items: readonly T[],
  keyFor: (item: T) => string | null,
): ReadonlyMap<string, readonly T[]> {
  return groupedByAll(items, (item) => {
    const key = keyFor(item)
    return key === null ? [] : [key]
  })
}

function groupedByAll<T>(
  items: readonly T[],
  keysFor: (item: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    for (const key of keysFor(item)) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
  }
  return groups
}
