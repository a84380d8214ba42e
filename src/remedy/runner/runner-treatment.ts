import type { RunnerFacts, RunnerTarget } from '../../domain/remedy/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { RemedyCluster, RemedyForge } from '../../ports/remedy.ts'
import type { Treatment } from '../treatment.ts'

/** Both sources of a runner of ARC. */
export interface RunnerSources {
  readonly cluster: RemedyCluster
  readonly forge: RemedyForge
}

/** How every remedy reads and removes one runner of ARC: that object alone, and no finalizer stripped. */
export function runnerRemoval({ cluster, forge }: RunnerSources) {
  return {
    async readFresh(planned, signal) {
      const answer = await forge.readRunner(planned.forgeScope, planned.name, signal)
      const pod = await cluster.readPod(planned, signal)
      const reading = await cluster.readSet(planned.scaleSet, signal)
      return { sources: { cluster: reading.at, forge: answer.at }, forge: answer, pod, reading }
    },
    async act({ namespace, name, uid, resourceVersion }, signal) {
      const removal = await cluster.removeRunner({ namespace, name, uid, resourceVersion }, signal)
      return removal === 'removed' ? 'done' : removal
    },
    async isDone({ scaleSet, uid }, signal) {
      const { runners } = await cluster.readSet(scaleSet, signal)
      const runner = runners.find((each) => each.uid === uid)
      return runner === undefined || runner.deletedAt !== null
    },
    async readAfter(planned, signal) {
      const answer = await forge.readRunner(planned.forgeScope, planned.name, signal)
      const { runners } = await cluster.readSet(planned.scaleSet, signal)
      return { runner: runners.find(({ uid }) => uid === planned.uid) ?? null, forge: answer }
    },
    ends: ({ objects }) =>
      setsOf(objects).map((place) => ({
        subject: keyOf(place),
        read: async (signal) => ({ reading: await cluster.readSet(place, signal) }),
      })),
    toDo: ({ uid, resourceVersion }: RunnerTarget) =>
      `to be deleted now, by uid ${uid} and resourceVersion ${resourceVersion}`,
  } satisfies Omit<Treatment<RunnerFacts>, 'remedy' | 'texts'> & { toDo(planned: RunnerTarget): string }
}

function setsOf(objects: readonly RunnerTarget[]): readonly RunnerTarget['scaleSet'][] {
  return [...new Map(objects.map(({ scaleSet }) => [keyOf(scaleSet), scaleSet])).values()]
}
