import { keyOf, type ObjectRef, type PodFact } from '../../../domain/snapshot/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ObjectKind } from '../../../ports/cluster.ts'
import type { RemedyCluster } from '../../../ports/remedy.ts'
import { type Cluster, kinds, type WholeObject } from '../client/index.ts'
import { arcKinds, ephemeralRunners, type Parse, parseAll, parsePod } from '../snapshot/index.ts'
import { createCapsWriter } from './caps.ts'
import { isRefusal, wholly } from './whole.ts'

export interface RemedyClusterOptions {
  readonly cluster: Pick<Cluster, 'reader' | 'writer' | 'list'>
  readonly clock: Pick<Clock, 'now'>
  /** Where ARC's controller has its listeners. */
  readonly controllerNamespace: string
}

/** ARC's objects by plain reads and one delete. Nothing is cached, and an object of another shape fails the whole reading. */
export function createRemedyCluster(options: RemedyClusterOptions): RemedyCluster {
  const { cluster, clock, controllerNamespace } = options
  const listed = async <T>(
    { kind, parse }: { readonly kind: ObjectKind; readonly parse: Parse<T> },
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly T[]> => {
    const objects = await cluster.list<WholeObject>(
      { kind, namespace, transform: (object) => object },
      signal,
    )
    return wholly(parseAll(objects, parse, kind.plural), kind)
  }
  const readPod = async (place: ObjectRef, signal: AbortSignal): Promise<PodFact | null> => {
    const object = await cluster.reader.read<WholeObject>(kinds.pods, place, signal)
    return object === undefined ? null : (wholly(parseAll([object], parsePod, 'pods'), kinds.pods)[0] ?? null)
  }
  return {
    async listSets(namespaces, signal) {
      const places = namespaces ?? [undefined]
      const sets = await Promise.all(places.map((each) => listed(arcKinds.scaleSets, each, signal)))
      return sets.flat().map((set) => ({ namespace: set.namespace, name: set.name }))
    },
    async readSet(place, signal) {
      const at = clock.now()
      const { namespace } = place
      const [sets, generations, runners, listeners] = await Promise.all([
        listed(arcKinds.scaleSets, namespace, signal),
        listed(arcKinds.runnerSets, namespace, signal),
        listed(arcKinds.runners, namespace, signal),
        listed(arcKinds.listeners, controllerNamespace, signal),
      ])
      const isOf = ({ scaleSet }: { readonly scaleSet: ObjectRef | null }) =>
        scaleSet !== null && keyOf(scaleSet) === keyOf(place)
      const own = listeners.filter(isOf)
      const pods = await Promise.all(own.map((listener) => readPod(refOf(listener), signal)))
      return {
        at,
        place,
        set: sets.find((set) => set.name === place.name) ?? null,
        generations: generations.filter(isOf),
        runners: runners.filter(isOf),
        listeners: own,
        listenerPods: pods.filter((pod) => pod !== null),
      }
    },
    readPod: (place, signal) => readPod(refOf(place), signal),
    async removeRunner({ namespace, name, uid, resourceVersion }, signal) {
      try {
        return await cluster.writer.remove(
          ephemeralRunners,
          { namespace, name, uid, resourceVersion },
          signal,
        )
      } catch (error) {
        if (isRefusal(error)) throw error
        return 'unknown'
      }
    },
    ...createCapsWriter(cluster),
  }
}

function refOf({ namespace, name }: ObjectRef): ObjectRef {
  return { namespace, name }
}
