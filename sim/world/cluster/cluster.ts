import type { RunnerStart, StartOutcome } from '../../../src/ports/runner-host.ts'
import type { History } from '../history.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import { isOver, type Node, type Pod, pending, type Template } from './model.ts'

/** Receives every pod that changed: as it is now, or null where it is gone. */
type Watcher = (name: string, pod: Pod | null) => void

export interface ClusterDeps {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly history: History
  /** Called before a pod goes for good, and by whose hand. */
  readonly onGone: (pod: Pod, by: 'holdfast' | 'other') => void
  readonly onCreate: (pod: Pod, by: 'holdfast' | 'other') => void
}

/** The API server's truth: pods, nodes, quota. Time on the nodes passes in the kubelet. */
export interface Cluster {
  readonly nodes: Map<string, Node>
  readonly pods: ReadonlyMap<string, Pod>
  quota: number
  /** While true, every call fails. */
  isOut: boolean
  create(start: RunnerStart, template: Template, by?: 'other'): StartOutcome
  /** Changes a pod; nothing where it is gone. Gives it as it is now. */
  change(name: string, to: Partial<Pod>): Pod | null
  /** Asks that it goes. */
  remove(name: string, by: 'holdfast' | 'other', isForced: boolean): void
  /** Takes our finalizer off. */
  unhold(name: string, by: 'holdfast' | 'other'): void
  watch(watcher: Watcher): () => void
}

export function createCluster(deps: ClusterDeps, nodeNames: readonly string[]): Cluster {
  const { scheduler, random, history } = deps
  const pods = new Map<string, Pod>()
  const watchers = new Set<Watcher>()
  const nodes = new Map(
    nodeNames.map((name) => [
      name,
      { name, mode: 'ok', isCordoned: false, pressures: [], silentSince: null } satisfies Node as Node,
    ]),
  )

  const news: { readonly name: string; readonly pod: Pod | null }[] = []
  let isNotifying = false
  /** All watchers receive one change before any receives the next, also where a watcher makes it. */
  const notify = (name: string, pod: Pod | null) => {
    news.push({ name, pod })
    if (isNotifying) return
    isNotifying = true
    for (let next = news.shift(); next !== undefined; next = news.shift()) {
      for (const watcher of [...watchers]) watcher(next.name, next.pod)
    }
    isNotifying = false
  }
  /** An object goes when nothing holds it and its kubelet, if it has one, is done with it. */
  const settle = (pod: Pod, by: 'holdfast' | 'other') => {
    if (pods.get(pod.name)?.uid !== pod.uid || pod.leavingSince === null || pod.isHeld) return
    if (!pod.isForced && pod.node !== null && !isOver(pod.status)) return
    deps.onGone(pod, by)
    history.note(pod.name, `is gone by ${by}`)
    pods.delete(pod.name)
    notify(pod.name, null)
  }
  const change = (name: string, to: Partial<Pod>): Pod | null => {
    const before = pods.get(name)
    if (before === undefined) return null
    const pod: Pod = { ...before, ...to, version: before.version + 1 }
    pods.set(name, pod)
    notify(name, pod)
    return pod
  }

  const cluster: Cluster = {
    nodes,
    pods,
    quota: Number.POSITIVE_INFINITY,
    isOut: false,
    create(start, template, by) {
      const refuse = (kind: 'QuotaExceeded' | 'TemplateRefused', message: string): StartOutcome => {
        history.note(start.name, `refused: ${kind}`)
        return { kind: 'refused', problem: { kind, message, since: scheduler.now() } }
      }
      if (template.flaw === 'refused') return refuse('TemplateRefused', 'admission says no')
      if (pods.size >= cluster.quota) return refuse('QuotaExceeded', `quota of ${cluster.quota} pods`)
      // Admission speaks first: a create may be refused although what it asks for is there.
      if (pods.has(start.name)) return { kind: 'started' }
      const pod: Pod = {
        name: start.name,
        pool: start.pool,
        avoidNodes: start.avoidNodes,
        template,
        unwantedNodes: start.unwantedNodes ?? [],
        uid: `uid-${random.bytes(4).join('-')}`,
        createdAt: scheduler.now(),
        node: null,
        placedAt: null,
        status: pending,
        version: 1,
        marks: 'ours',
        isHeld: true,
        isProtected: false,
        isForced: false,
        stopReason: null,
        leavingSince: null,
        leavingBy: null,
      }
      deps.onCreate(pod, by ?? 'holdfast')
      pods.set(pod.name, pod)
      history.note(pod.name, `created (${template.hash}, ${template.shape})`)
      notify(pod.name, pod)
      return { kind: 'started' }
    },
    change,
    remove(name, by, isForced) {
      const pod = pods.get(name)
      if (pod === undefined) return
      const changed = change(name, {
        leavingSince: pod.leavingSince ?? scheduler.now(),
        leavingBy: pod.leavingBy ?? by,
        isForced: pod.isForced || isForced,
      }) as Pod
      settle(changed, by)
    },
    unhold(name, by) {
      const pod = change(name, { isHeld: false })
      if (pod !== null) settle(pod, by)
    },
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
  cluster.watch((name) => {
    const pod = pods.get(name)
    if (pod !== undefined && isOver(pod.status)) settle(pod, pod.leavingBy ?? 'other')
  })
  return cluster
}
