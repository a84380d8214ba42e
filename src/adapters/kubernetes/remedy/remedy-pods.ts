import type { Clock } from '../../../ports/clock.ts'
import type { RemedyPods } from '../../../ports/remedy-gitlab.ts'
import { type Cluster, kinds, type WholeObject } from '../client/index.ts'
import { parseAll, parsePod } from '../snapshot/index.ts'
import { isRefusal, wholly } from './whole.ts'

/** Pods by plain reads and one delete. Nothing is cached, and a pod of another shape fails the whole reading. */
export function createRemedyPods(
  cluster: Pick<Cluster, 'reader' | 'writer' | 'list'>,
  clock: Pick<Clock, 'now'>,
): RemedyPods {
  const parsed = (objects: readonly WholeObject[]) => wholly(parseAll(objects, parsePod, 'pods'), kinds.pods)
  return {
    async listPods(signal) {
      const at = clock.now()
      const transform = (object: WholeObject) => object
      return { at, pods: parsed(await cluster.list<WholeObject>({ kind: kinds.pods, transform }, signal)) }
    },
    async readPod({ namespace, name }, signal) {
      const object = await cluster.reader.read<WholeObject>(kinds.pods, { namespace, name }, signal)
      return object === undefined ? null : (parsed([object])[0] ?? null)
    },
    async removePod({ namespace, name, uid, resourceVersion }, signal) {
      try {
        return await cluster.writer.remove(kinds.pods, { namespace, name, uid, resourceVersion }, signal)
      } catch (error) {
        if (isRefusal(error)) throw error
        return 'unknown'
      }
    },
  }
}
