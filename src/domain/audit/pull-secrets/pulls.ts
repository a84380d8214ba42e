import type { ObjectRef, PodFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { FindingSubject } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { subjectOf } from '../judging.ts'
import { type RefusedPull, refusedPulls } from './refused-pull.ts'

/** One image that one listener, or the runners of one set, cannot pull. */
export interface FailingPull extends RefusedPull {
  readonly role: 'listener' | 'runner'
  readonly subject: FindingSubject
  readonly set: ObjectRef
  /** Pods that wait for it. */
  readonly podCount: number
}

/** Failing pulls of listeners and runners; pods of one set that wait for one image are one. */
export function failingPulls({ snapshot, joins }: AuditInput): readonly FailingPull[] {
  const { listeners, runners } = snapshot.cluster
  const ofListeners = listeners.items.flatMap((listener) =>
    pullsOfPod(joins.podByKey.get(keyOf(listener)), (pull) => ({
      ...pull,
      role: 'listener' as const,
      subject: subjectOf('listener', listener),
      set: listener.scaleSet,
      podCount: 1,
    })),
  )
  const ofRunners = runners.items.flatMap((runner) => {
    const set = runner.scaleSet
    if (set === null) return []
    return pullsOfPod(joins.podByKey.get(keyOf(runner)), (pull) => ({
      ...pull,
      role: 'runner' as const,
      subject: subjectOf('scale-set', set),
      set,
      podCount: 1,
    }))
  })
  return [...ofListeners, ...perSetAndImage(ofRunners)]

  function pullsOfPod(pod: PodFact | undefined, toPull: (pull: RefusedPull) => FailingPull): FailingPull[] {
    return pod === undefined ? [] : refusedPulls(pod, joins).map(toPull)
  }
}

/** The pod whose refusal is known stands for the others. */
function perSetAndImage(pulls: readonly FailingPull[]): FailingPull[] {
  const groups = Map.groupBy(pulls, ({ set, image, pod }) =>
    [keyOf(set), image, ...pod.imagePullSecrets].join(' '),
  )
  return [...groups.values()].map((group) => ({
    ...((group.find(({ refusal }) => refusal !== null) ?? group[0]) as FailingPull),
    podCount: group.length,
  }))
}
