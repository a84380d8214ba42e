import type { ContainerEnd, Ending, PodEnd } from './ending.ts'
import { type DeathRule, type Finding, likely, proven } from './verdict.ts'

/** The container that runs the job, in every shape of a pod. */
const RUNNER = 'runner'
/** What the kubelet writes over a container of which it knows nothing any more. */
const LOST_SIGHT = 'ContainerStatusUnknown'

/** What a cluster says about the end of a pod, before what its exit code says: that is only how, not why. */
export const podRules: readonly DeathRule[] = [
  { name: 'the kubelet says OOMKilled', fires: oomKilled },
  { name: 'the kubelet evicted it', fires: onPod(evicted) },
  { name: 'the scheduler preempted it', fires: onPod(preempted) },
  { name: 'its node was drained', fires: onPod(drained) },
  { name: 'its node was lost', fires: onPod(nodeLost) },
  { name: 'its pod ran past its deadline', fires: onPod(deadlineExceeded) },
]

/** Also where we stopped it at last: what kept it from starting is why. */
export const stuckRule: DeathRule = { name: 'something kept it from starting', fires: onPod(stuck) }

/** Somebody wanted it to go, and it was not us. */
export const deletedRule: DeathRule = { name: 'somebody deleted its pod', fires: onPod(deleted) }

/** What is known of why it did not start; null where it may have started out of sight. */
export function whyNotStarted(pod: PodEnd): readonly string[] | null {
  const failed = pod.containers.find(({ isInit, exitCode }) => isInit && exitCode !== null && exitCode !== 0)
  if (failed !== undefined)
    return [`Its container ${failed.name} ended with exit code ${failed.exitCode} first.`]
  return runnerOf(pod)?.reason === LOST_SIGHT ? null : []
}

function oomKilled(ending: Ending): Finding | null {
  const runner = ending.pod === null ? undefined : runnerOf(ending.pod)
  if (runner?.reason !== 'OOMKilled' || runner.exitCode === 0) return null
  const limit = ending.memoryLimitBytes === null ? '' : ` of ${ending.memoryLimitBytes} bytes`
  return proven(
    'container-oom',
    `The kubelet says that its container was killed at its memory limit${limit}.`,
  )
}

function evicted(pod: PodEnd): Finding | null {
  if (pod.reason !== 'Evicted' && pod.disruption?.reason !== 'TerminationByKubelet') return null
  return proven('evicted', `The kubelet evicted it: ${wordsOf(pod)}`)
}

function preempted(pod: PodEnd): Finding | null {
  const reason = pod.disruption?.reason
  if (reason !== 'PreemptionByScheduler' && pod.reason !== 'Preempting') return null
  return proven('preempted', `It made room for a pod of higher priority: ${wordsOf(pod)}`)
}

function drained(pod: PodEnd): Finding | null {
  if (pod.disruption?.reason !== 'EvictionByEvictionAPI') return null
  return proven('node-drained', `Somebody asked for its eviction, as a drain does: ${wordsOf(pod)}`)
}

function nodeLost(pod: PodEnd): Finding | null {
  const { reason } = pod.disruption ?? {}
  if (pod.reason === 'NodeLost')
    return proven('node-lost', `Nothing was heard from its node: ${wordsOf(pod)}`)
  if (reason === 'DeletionByPodGC') return proven('node-lost', `Its node is gone: ${wordsOf(pod)}`)
  if (reason !== 'DeletionByTaintManager') return null
  return likely('node-lost', `Its node got a taint that nothing may run under: ${wordsOf(pod)}`)
}

function deadlineExceeded(pod: PodEnd): Finding | null {
  if (pod.reason !== 'DeadlineExceeded') return null
  return proven('deadline-exceeded', `Its pod has a deadline that passed: ${wordsOf(pod)}`)
}

function stuck({ trouble }: PodEnd, { startedAt, stopRequestedBy }: Ending): Finding | null {
  if (trouble === null || startedAt !== null) return null
  const stopped = stopRequestedBy === null ? [] : [`Holdfast stopped it then: ${stopRequestedBy}.`]
  return proven('never-started', `It did not get going, ${trouble.kind}: ${trouble.message}`, ...stopped)
}

/** A pod that had ended when somebody deleted it did not end by that. */
function deleted(pod: PodEnd, { exitCode, endedAt }: Ending): Finding | null {
  if (pod.deletedAt === null || exitCode === 0) return null
  const isAfter = runnerOf(pod)?.state === 'terminated' && pod.deletedAt > endedAt
  if (isAfter) return null
  return likely(
    'deleted',
    'Its pod was asked to go; not by this Holdfast as far as it knows. Who did is unknown.',
  )
}

function onPod(rule: (pod: PodEnd, ending: Ending) => Finding | null): DeathRule['fires'] {
  return (ending) => (ending.pod === null ? null : rule(ending.pod, ending))
}

function runnerOf({ containers }: PodEnd): ContainerEnd | undefined {
  return containers.find(({ name }) => name === RUNNER)
}

function wordsOf({ message, disruption }: PodEnd): string {
  return message ?? (disruption?.message || 'no more is said')
}
