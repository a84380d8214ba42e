import { fail, type Gate, pass } from '../gate.ts'
import type { RecheckFacts } from '../remedy.ts'
import type { ProbeCleanFacts, ProbeFacts } from './facts.ts'
import { runnerOf } from './lane.ts'
import { probeMarks } from './marks.ts'

/** A pod of another probe may still be asked for its answer until so long after its deadline. */
const leftAfterMs = 30_000

/** Asked immediately before the pod is made; every one must pass. */
export const makeRechecks: readonly Gate<RecheckFacts<ProbeFacts>>[] = [
  {
    name: 'same-lane',
    why: 'The pod is made from the lane as it was planned: another spec was never approved.',
    judge({ lane, planned: { scaleSet, image } }) {
      if (lane === null) return fail('there is no such AutoscalingRunnerSet')
      const { set, generation } = lane
      const proof = `uid ${set.uid}, generation ${generation}, image ${runnerOf(set.template)?.image}`
      const isSame = set.uid === scaleSet.uid && generation === scaleSet.generation
      return { passed: isSame && runnerOf(set.template)?.image === image, proof }
    },
  },
  {
    name: 'lane-lives',
    why: 'The pod of a lane that is being removed proves nothing about it.',
    judge: ({ lane }) =>
      lane === null || lane.set.deletedAt !== null
        ? fail('the lane is being removed')
        : pass('the lane is there'),
  },
  {
    name: 'name-free',
    why: 'One name, one pod: no second one is made while there is a first, also one that another made.',
    judge: ({ pod }) =>
      pod === null
        ? pass('there is no pod of this name')
        : fail(
            `there is one since ${new Date(pod.createdAt ?? 0).toISOString()}: \`holdfast probe clean\` takes it once its time is over`,
          ),
  },
]

/** Asked immediately before a pod is removed; every one must pass. */
export const cleanRechecks: readonly Gate<RecheckFacts<ProbeCleanFacts>>[] = [
  {
    name: 'same-object',
    why: 'Another pod of the same name was never looked at. The kubelet writes a pod all the time: its UID counts here, and the removal names the state that was read last.',
    judge: ({ pod, planned: { uid } }) =>
      pod === null
        ? fail('there is no such pod any more')
        : { passed: pod.uid === uid, proof: `uid ${pod.uid}` },
  },
  {
    name: 'pod-of-a-probe',
    why: 'Only pods that a probe made are removed: by name, label and id, and nobody owns them.',
    judge({ pod }) {
      const marks = pod === null ? null : probeMarks(pod)
      return marks === null ? fail('it has not the marks of a probe') : pass(`${marks.kind} ${marks.id}`)
    },
  },
  {
    name: 'no-longer-needed',
    why: 'Another operator may still wait for the answer of a pod whose time is not over.',
    judge({ pod, plan: { scope }, now }) {
      const marks = pod === null ? null : probeMarks(pod)
      if (pod === null || marks === null) return fail('it is not known how long it may run')
      if (marks.id === scope.probeId) return pass('its probe has ended')
      if (pod.createdAt === null) return fail('its age is not known')
      const overAt = pod.createdAt + marks.deadlineSeconds * 1_000 + leftAfterMs
      return { passed: now >= overAt, proof: `its time is over at ${new Date(overAt).toISOString()}` }
    },
  },
]
