import { probePlace } from '../../../../domain/remedy/index.ts'
import type { ObjectRef } from '../../../../domain/snapshot/index.ts'
import type { Probes } from '../../../../ports/probes.ts'
import { type Cluster, kinds, type WholeObject } from '../../client/index.ts'
import { arcKinds, parseAll, parsePod, parseScaleSet } from '../../snapshot/index.ts'
import { isRefusal, wholly } from '../whole.ts'
import { probePod } from './probe-pod.ts'

const { kind: scaleSets } = arcKinds.scaleSets

/** Pods of probes by plain reads, one create and one delete each. */
export function createProbes({ reader, writer }: Pick<Cluster, 'reader' | 'writer'>): Probes {
  const readSet = ({ namespace, name }: ObjectRef, signal: AbortSignal) =>
    reader.read<WholeObject>(scaleSets, { namespace, name }, signal)
  return {
    async readLane(place, signal) {
      const object = await readSet(place, signal)
      if (object === undefined) return null
      const [set] = wholly(parseAll([object], parseScaleSet, 'scale sets'), scaleSets)
      return set === undefined ? null : { set, generation: object.metadata.generation ?? 0 }
    },
    async readPod({ namespace, name }, signal) {
      const object = await reader.read<WholeObject>(kinds.pods, { namespace, name }, signal)
      if (object === undefined) return null
      return wholly(parseAll([object], parsePod, 'pods'), kinds.pods)[0] ?? null
    },
    async make(order, signal) {
      const { lane, kind } = order
      const set = await readSet(lane, signal)
      const isSame = set?.metadata.uid === lane.uid && (set.metadata.generation ?? 0) === lane.generation
      if (set === undefined || !isSame) return 'conflict'
      try {
        const pod = probePod(set, order, probePlace(kind, lane.namespace))
        const created = await writer.create(kinds.pods, pod, signal)
        return created.kind === 'created' ? 'made' : 'exists'
      } catch (error) {
        if (isRefusal(error)) throw error
        return 'unknown'
      }
    },
    async remove({ namespace, name, uid, resourceVersion }, signal) {
      try {
        return await writer.remove(kinds.pods, { namespace, name, uid, resourceVersion }, signal)
      } catch (error) {
        if (isRefusal(error)) throw error
        return 'unknown'
      }
    },
  }
}
