import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Cluster } from './cluster.ts'
import { isOver, type Node, type Pod } from './model.ts'

const lookAgainMs = 5_000

/** The cluster's scheduler: gives each new pod a node, and says so where none can take it. */
export function placePods(cluster: Cluster, podsPerNodeMax: number, scheduler: Scheduler, random: Random) {
  const trying = new Set<string>()
  const attempt = (name: string) => {
    const pod = cluster.pods.get(name)
    trying.delete(name)
    if (pod === undefined || pod.node !== null || pod.leavingSince !== null) return
    const fit = [...cluster.nodes.values()].filter((node) => canTake(node, pod, cluster, podsPerNodeMax))
    const wanted = fit.filter(({ name: node }) => !pod.unwantedNodes.includes(node))
    if (fit.length > 0) {
      const node = random.pick(wanted.length > 0 ? wanted : fit).name
      cluster.change(name, { node, placedAt: scheduler.now(), status: { ...pod.status, startProblem: null } })
      return
    }
    if (pod.status.startProblem === null) {
      const message = `0 of ${cluster.nodes.size} nodes can take it`
      const startProblem = { kind: 'NoHealthyNode', message, since: scheduler.now() } as const
      cluster.change(name, { status: { ...pod.status, startProblem } })
    }
    retry(name, lookAgainMs)
  }
  const retry = (name: string, inMs: number) => {
    if (trying.has(name)) return
    trying.add(name)
    scheduler.after(inMs, () => attempt(name))
  }
  cluster.watch((name, pod) => {
    if (pod !== null && pod.version === 1) retry(name, random.between(5, 300))
  })
}

function canTake(node: Node, pod: Pod, { pods }: Cluster, podsPerNodeMax: number): boolean {
  if (node.isCordoned || node.silentSince !== null || pod.avoidNodes.includes(node.name)) return false
  const there = [...pods.values()].filter((other) => other.node === node.name && !isOver(other.status))
  return there.length < podsPerNodeMax
}
