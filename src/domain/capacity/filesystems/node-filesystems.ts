import type { Snapshot } from '../../snapshot/index.ts'
import { type Reading, readingsOf } from './reading.ts'
import { runwaysOf } from './runway.ts'

/** One filesystem of a kubelet, in bytes or inodes: what is left, and how long it lasts. */
export interface NodeFilesystem extends Reading {
  readonly node: string
  /** Until the kubelet evicts at the rate between two readings; null where it does not fill, or no rate is known. */
  readonly runwayMs: number | null
  /** Whether two readings gave a rate. */
  readonly isRateKnown: boolean
}

export interface NodeFilesystems {
  /** The first to be full ahead: by runway, then by the share that is left. */
  readonly filesystems: readonly NodeFilesystem[]
  /** Kubelets that could not be read, and why. */
  readonly unread: readonly string[]
}

/** The filesystems of all kubelets. A rate needs an earlier snapshot of the same nodes. */
export function nodeFilesystems({ cluster }: Snapshot, earlier: Snapshot | null): NodeFilesystems {
  const settings = new Map(cluster.nodeSettings.items.map((each) => [each.node, each]))
  const before = new Map((earlier?.cluster.nodeUsage.items ?? []).map((usage) => [usage.node, usage]))
  const filesystems = cluster.nodeUsage.items.flatMap((usage) => {
    const own = settings.get(usage.node) ?? null
    const readings = readingsOf(usage, own)
    const then = before.get(usage.node)
    const runways = runwaysOf(
      { usage, readings },
      then === undefined ? null : { usage: then, readings: readingsOf(then, own) },
    )
    return readings.map((reading) => ({
      ...reading,
      node: usage.node,
      runwayMs: runways?.find((each) => each.reading === reading)?.ms ?? null,
      isRateKnown: runways !== null,
    }))
  })
  return {
    filesystems: filesystems.sort(firstToBeFull),
    unread: [...cluster.nodeUsage.unread, ...cluster.nodeSettings.unread].map(
      ({ what, why }) => `${what}: ${why}`,
    ),
  }
}

function firstToBeFull(a: NodeFilesystem, b: NodeFilesystem): number {
  const [aMs, bMs] = [a, b].map(({ runwayMs }) => runwayMs ?? Number.MAX_VALUE) as [number, number]
  return aMs - bMs || a.headroom / a.capacity - b.headroom / b.capacity
}
