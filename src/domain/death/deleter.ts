import type { Ending, PodEnd } from './ending.ts'

const deleters = [
  'holdfast',
  'kubelet-eviction',
  'eviction-api',
  'preemption',
  'taint-manager',
  'pod-garbage-collection',
  'node-shutdown',
  'unknown',
] as const

/** The party that asked for a runner's removal. */
export type Deleter = (typeof deleters)[number]

const byDisruption: Readonly<Record<string, Deleter>> = {
  PreemptionByScheduler: 'preemption',
  EvictionByEvictionAPI: 'eviction-api',
  DeletionByTaintManager: 'taint-manager',
  DeletionByPodGC: 'pod-garbage-collection',
}
const byReason: Readonly<Record<string, Deleter>> = {
  Evicted: 'kubelet-eviction',
  Preempting: 'preemption',
}
/** Messages of several Kubernetes releases for a graceful node shutdown. */
const shutdown = /imminent node shutdown|node is (?:shutting down|in progress of shutting down)/i

/** The party that asked for the runner's removal before its end; null where none is known. */
export function deleterOf(ending: Ending): Deleter | null {
  const { pod, stopRequestedBy } = ending
  const byCluster = pod === null ? null : clusterDeleter(pod)
  if (byCluster !== null) return byCluster
  if (isTidiedAway(ending)) return null
  if (stopRequestedBy !== null) return 'holdfast'
  return pod === null || pod.deletedAt === null ? null : 'unknown'
}

/** Whether the pod was deleted only after its runner had ended: then the deletion is not the cause. */
export function isTidiedAway({ pod, endedAt }: Ending): boolean {
  if (pod === null || pod.deletedAt === null || pod.deletedAt <= endedAt) return false
  return pod.containers.some(({ name, state }) => name === 'runner' && state === 'terminated')
}

/** The cluster's own mark goes before a stop by Holdfast, which only repeats it. */
function clusterDeleter({ disruption, reason, message, events }: PodEnd): Deleter | null {
  const named = byDisruption[disruption?.reason ?? '']
  if (named !== undefined) return named
  const messages = `${message ?? ''} ${disruption?.message ?? ''}`
  if (shutdown.test(messages)) return 'node-shutdown'
  if (messages.includes('in order to admit critical pod')) return 'preemption'
  const stated = byReason[reason ?? '']
  if (stated !== undefined) return stated
  if (disruption?.reason === 'TerminationByKubelet') return 'kubelet-eviction'
  // The taint manager cancels a deletion under the same reason.
  const event = (events ?? []).findLast((each) => each.reason === 'TaintManagerEviction')
  return event === undefined || event.message.startsWith('Cancelling') ? null : 'taint-manager'
}
