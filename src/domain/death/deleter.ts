import type { Ending, PodEnd } from './ending.ts'

export const deleters = [
  'holdfast',
  'kubelet-eviction',
  'eviction-api',
  'preemption',
  'taint-manager',
  'pod-garbage-collection',
  'node-shutdown',
  'unknown',
] as const

/** Who asked that a runner goes. */
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
/** Words of several releases for a node that shuts down in order. */
const shutdown = /imminent node shutdown|node is (?:shutting down|in progress of shutting down)/i

/** Who asked that a runner goes, where somebody did before it had ended; null: nobody, as far as was seen. */
export function deleterOf(ending: Ending): Deleter | null {
  const { pod, stopRequestedBy } = ending
  const byCluster = pod === null ? null : clusterDeleter(pod)
  if (byCluster !== null) return byCluster
  if (isTidiedAway(ending)) return null
  if (stopRequestedBy !== null) return 'holdfast'
  return pod === null || pod.deletedAt === null ? null : 'unknown'
}

/** A pod that had ended when somebody deleted it did not end by that. */
export function isTidiedAway({ pod, endedAt }: Ending): boolean {
  if (pod === null || pod.deletedAt === null || pod.deletedAt <= endedAt) return false
  return pod.containers.some(({ name, state }) => name === 'runner' && state === 'terminated')
}

/** The cluster's own word stands before ours: what Holdfast asks after that, it only asks for too. */
function clusterDeleter({ disruption, reason, message, events }: PodEnd): Deleter | null {
  const named = byDisruption[disruption?.reason ?? '']
  if (named !== undefined) return named
  const said = `${message ?? ''} ${disruption?.message ?? ''}`
  if (shutdown.test(said)) return 'node-shutdown'
  if (said.includes('in order to admit critical pod')) return 'preemption'
  const stated = byReason[reason ?? '']
  if (stated !== undefined) return stated
  if (disruption?.reason === 'TerminationByKubelet') return 'kubelet-eviction'
  // It says under the same reason that it calls a deletion off.
  const word = (events ?? []).findLast((event) => event.reason === 'TaintManagerEviction')
  return word === undefined || word.message.startsWith('Cancelling') ? null : 'taint-manager'
}
