import { type ProbeFacts, type ProbeKind, probe, probeMarks } from '../../domain/remedy/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Probes } from '../../ports/probes.ts'
import type { Treatment } from '../treatment.ts'

/** Where probes are made and read. */
export interface ProbeSources {
  readonly probes: Probes
  readonly clock: Clock
}

/** How a probe makes its one pod, and sees its answer. It removes nothing: that is a run of its own. */
export function probeTreatment(
  kind: ProbeKind,
  { probes, clock }: ProbeSources,
  remedy = probe(kind),
): Treatment<ProbeFacts> {
  return {
    remedy,
    async readFresh({ namespace, name, scaleSet }, signal) {
      const at = clock.now()
      const lane = await probes.readLane(scaleSet, signal)
      return { sources: { cluster: at }, lane, pod: await probes.readPod({ namespace, name }, signal) }
    },
    async act({ probeId, scaleSet, node, registry, deadlineSeconds }, signal) {
      const order = { kind, probeId, lane: scaleSet, node, registry, deadlineSeconds }
      const made = await probes.make(order, signal)
      if (made === 'made') return 'done'
      return made === 'exists' ? 'conflict' : made
    },
    async isDone(planned, signal) {
      const pod = await probes.readPod(planned, signal)
      return pod !== null && probeMarks(pod)?.id === planned.probeId
    },
    readAfter: async (planned, signal) => ({
      at: clock.now(),
      pod: await probes.readPod(planned, signal),
    }),
    ends: () => [],
    texts: {
      toDo: ({ image, scaleSet, deadlineSeconds }) =>
        `a pod with ${image} to be made now, from uid ${scaleSet.uid} in generation ${scaleSet.generation}, for at most ${deadlineSeconds} s`,
      done: 'the cluster took it on',
      verified: 'it answered',
      proven: 'answered; its removal is a run of its own',
    },
  }
}
