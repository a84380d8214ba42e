import type { Instant } from '../../../src/domain/time.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Cluster } from './cluster.ts'
import type { Pod } from './model.ts'

/** A process's watch on the pods: late by a little, and at times by much. */
export interface PodView {
  readonly pods: ReadonlyMap<string, Pod>
  /** How old what it shows may be. */
  ageMs(): number
  /** From now on nothing arrives for so long; what happened meanwhile arrives afterwards, in order. */
  stall(forMs: number): void
  /** Ends a stall early. */
  resume(): void
  onChange(callback: (name: string) => void): () => void
  close(): void
}

export function createPodView(cluster: Cluster, scheduler: Scheduler, random: Random): PodView {
  const pods = new Map([...cluster.pods].filter(([, pod]) => pod.marks !== 'none'))
  const listeners = new Set<(name: string) => void>()
  const queue: { readonly name: string; readonly pod: Pod | null; readonly due: Instant }[] = []
  let stalledSince: Instant | null = null
  let stalledUntil: Instant = scheduler.now()
  let lastDue: Instant = scheduler.now()

  const isStalled = () => cluster.isOut || scheduler.now() < stalledUntil
  const drain = () => {
    if (isStalled()) return
    stalledSince = null
    while (queue.length > 0 && (queue[0]?.due ?? 0) <= scheduler.now()) {
      const { name, pod } = queue.shift() as (typeof queue)[number]
      if (pod === null) pods.delete(name)
      else pods.set(name, pod)
      for (const listener of [...listeners]) listener(name)
    }
  }
  const unwatch = cluster.watch((name, pod) => {
    lastDue = Math.max(lastDue, scheduler.now() + random.between(1, 60))
    queue.push({ name, pod: pod?.marks === 'none' ? null : pod, due: lastDue })
    scheduler.after(lastDue - scheduler.now(), drain)
  })
  return {
    pods,
    ageMs() {
      if (!isStalled()) drain()
      else stalledSince ??= scheduler.now()
      return stalledSince === null ? 0 : scheduler.now() - stalledSince
    },
    stall(forMs) {
      stalledSince ??= scheduler.now()
      stalledUntil = Math.max(stalledUntil, scheduler.now() + forMs)
      scheduler.after(forMs + 1, drain)
    },
    resume() {
      stalledUntil = scheduler.now()
      drain()
    },
    onChange(callback) {
      listeners.add(callback)
      return () => listeners.delete(callback)
    },
    close: unwatch,
  }
}
