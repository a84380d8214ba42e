import type { Change } from '../../../ports/cluster.ts'
import type { Amounts } from './asks.ts'
import type { RunnerPod } from './objects.ts'
import { stateOf } from './read-pod.ts'

/** What our pods that have not ended take. */
export interface Taken {
  /** Pods that have no node yet. */
  readonly waiting: number
  readonly on: ReadonlyMap<string, Amounts>
}

/** Kept up to date by each change: who asks for room ten times a second does not count ten thousand pods each time. */
export interface TakenTally {
  note(change: Change<RunnerPod>): void
  taken(): Taken
}

export function createTaken(): TakenTally {
  const on = new Map<string, Record<string, number>>()
  /** As they were counted: the last that is said of one that goes may be another state than the one before it. */
  const counted = new Map<string, RunnerPod>()
  let waiting = 0

  function count(pod: RunnerPod, by: 1 | -1): void {
    if (stateOf(pod) === 'exited') return
    const { nodeName } = pod.spec
    if (nodeName === undefined) {
      waiting += by
      return
    }
    const sums = on.get(nodeName) ?? {}
    on.set(nodeName, sums)
    for (const [name, ask] of Object.entries(pod.asks)) sums[name] = (sums[name] ?? 0) + by * ask
    if (sums.pods === 0) on.delete(nodeName) // and with it what is left of rounding
  }

  return {
    note({ kind, key, object }) {
      const before = counted.get(key)
      if (before !== undefined) count(before, -1)
      if (kind === 'removed') {
        counted.delete(key)
        return
      }
      counted.set(key, object)
      count(object, 1)
    },
    taken: () => ({ waiting, on }),
  }
}
