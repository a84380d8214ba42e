import type { Change } from '../../../../ports/cluster.ts'
import type { RunnerPod } from '../objects/objects.ts'
import { stateOf } from '../status/runner-status.ts'
import type { ResourceList } from './requests.ts'

/** The resources of our pods that have not ended. */
export interface ResourceUsage {
  /** Pods that have no node yet. */
  readonly unscheduled: number
  readonly byNode: ReadonlyMap<string, ResourceList>
}

/** Updated by each change: headroom that is asked for ten times a second does not count ten thousand pods each time. */
export interface UsageTracker {
  observe(change: Change<RunnerPod>): void
  usage(): ResourceUsage
}

export function createUsageTracker(): UsageTracker {
  const byNode = new Map<string, Record<string, number>>()
  /** As they were counted: the last that is said of one that goes may be another state than the one before it. */
  const counted = new Map<string, RunnerPod>()
  let unscheduled = 0

  function count(pod: RunnerPod, by: 1 | -1): void {
    if (stateOf(pod) === 'exited') return
    const { nodeName } = pod.spec
    if (nodeName === undefined) {
      unscheduled += by
      return
    }
    const sums = byNode.get(nodeName) ?? {}
    byNode.set(nodeName, sums)
    for (const [name, ask] of Object.entries(pod.requests)) sums[name] = (sums[name] ?? 0) + by * ask
    if (sums.pods === 0) byNode.delete(nodeName) // and with it what is left of rounding
  }

  return {
    observe({ kind, key, object }) {
      const before = counted.get(key)
      if (before !== undefined) count(before, -1)
      if (kind === 'removed') {
        counted.delete(key)
        return
      }
      counted.set(key, object)
      count(object, 1)
    },
    usage: () => ({ unscheduled, byNode }),
  }
}
