import type { OutdatedFacts, Remedy } from '../../domain/remedy/index.ts'
import { keyOf, type ObjectRef } from '../../domain/snapshot/index.ts'
import type { ArcNudges } from '../../ports/arc-nudges.ts'
import type { RemedyCluster } from '../../ports/remedy.ts'
import type { Treatment } from '../treatment.ts'

/** The sources of `fix outdated`: no forge, since the set has no runner. */
export interface OutdatedSources {
  readonly cluster: Pick<RemedyCluster, 'readSet' | 'listSets'>
  readonly nudges: Pick<ArcNudges, 'resetPhase'>
}

/** `fix outdated` on a cluster: the phase of one set is taken back, and ARC makes it again from its own spec. */
export function outdatedTreatment(
  remedy: Remedy<OutdatedFacts>,
  { cluster, nudges }: OutdatedSources,
): Treatment<OutdatedFacts> {
  const read = async ({ namespace, name }: ObjectRef, signal: AbortSignal) => ({
    reading: await cluster.readSet({ namespace, name }, signal),
  })
  return {
    remedy,
    async readFresh(planned, signal) {
      const { reading } = await read(planned, signal)
      return { sources: { cluster: reading.at }, reading }
    },
    async act({ namespace, name, uid, resourceVersion }, signal) {
      const nudged = await nudges.resetPhase({ namespace, name, uid, resourceVersion }, signal)
      return nudged === 'nudged' ? 'done' : nudged
    },
    async isDone(planned, signal) {
      const { set } = (await read(planned, signal)).reading
      return set?.uid === planned.uid && set.phase !== 'Outdated'
    },
    readAfter: read,
    ends: ({ objects }) =>
      objects.map((each) => ({ subject: keyOf(each), read: (signal) => read(each, signal) })),
    texts: {
      toDo: ({ uid, resourceVersion }) =>
        `its phase to be set to Pending now, under uid ${uid} and resourceVersion ${resourceVersion}; nothing else of it`,
      done: 'the cluster took it on',
      verified: 'ARC has made its runners’ set and its listener again',
      proven: 'one set of runners, listener and set Running, and its runners are accepted',
    },
  }
}
