import type { BareApi } from './api.ts'

export interface SeenPod {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  /** By performance.now, when the watch showed it. */
  readonly seenAt: number
}

/** The present pods, by a watch of the bench's own. */
export interface PodBoard {
  /** The present pods of a namespace. */
  present(namespace: string): readonly SeenPod[]
  /** Calls back for each that comes. */
  onPod(callback: (pod: SeenPod) => void): () => void
  /** Resolves to the time of the last change when there are so many. */
  until(namespace: string, count: number, withinMs: number): Promise<number>
  close(): Promise<void>
}

const pauseMs = 100

export async function watchPods(api: BareApi): Promise<PodBoard> {
  const pods = new Map<string, SeenPod>()
  const counts = new Map<string, number>()
  const callbacks = new Set<(pod: SeenPod) => void>()
  const waiters = new Set<() => void>()
  const ending = new AbortController()
  let version = ''

  function note(line: string): void {
    const { type, object } = JSON.parse(line) as { type: string; object: Metadata }
    if (type === 'ERROR') throw new Error(`the watch of pods: ${line.slice(0, 300)}`)
    const { name, namespace, uid, resourceVersion } = object.metadata
    version = resourceVersion
    if (type === 'ADDED' && !pods.has(uid)) {
      const pod = { name, namespace, uid, seenAt: performance.now() }
      pods.set(uid, pod)
      counts.set(namespace, (counts.get(namespace) ?? 0) + 1)
      for (const callback of callbacks) callback(pod)
    }
    if (type === 'DELETED' && pods.delete(uid)) counts.set(namespace, (counts.get(namespace) ?? 0) - 1)
    if (type !== 'MODIFIED') for (const waiter of waiters) waiter()
  }

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      const from = `/api/v1/pods?watch=true&timeoutSeconds=600&resourceVersion=${version}`
      try {
        for await (const line of api.lines(from, ending.signal)) if (line !== '') note(line)
      } catch (error) {
        if (ending.signal.aborted) return
        console.error(`  the bench's own watch of pods is begun again: ${error}`)
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }

  const following = follow()
  return {
    present: (namespace) => [...pods.values()].filter((pod) => pod.namespace === namespace),
    onPod(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    until(namespace, count, withinMs) {
      return new Promise((resolve, reject) => {
        const patience = setTimeout(() => {
          waiters.delete(look)
          const has = counts.get(namespace) ?? 0
          reject(new Error(`${has} pods in "${namespace}", not ${count} within ${withinMs} ms`))
        }, withinMs)
        const look = (): void => {
          if ((counts.get(namespace) ?? 0) !== count) return
          clearTimeout(patience)
          waiters.delete(look)
          resolve(performance.now())
        }
        waiters.add(look)
        look()
      })
    },
    async close() {
      ending.abort()
      await following
    },
  }
}

interface Metadata {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly resourceVersion: string
  }
}
