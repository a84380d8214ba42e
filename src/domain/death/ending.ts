import type { Trouble } from '../pool/index.ts'
import type { Instant } from '../time.ts'

/** Where a runner was in a cluster. */
export interface PodPlace {
  readonly namespace: string
  readonly pod: string
  readonly uid: string
  /** Null where it was never placed. */
  readonly node: string | null
}

/** How a container ended before it was begun again. */
export interface EarlierEnd {
  readonly reason: string | null
  readonly exitCode: number | null
  readonly signal: number | null
  readonly finishedAt: Instant | null
}

/** What a container may use; null where nothing bounds it. */
export interface Limits {
  readonly memoryBytes: number | null
  readonly cpuMillis: number | null
  readonly ephemeralStorageBytes: number | null
}

/** One container of a pod at its end. */
export interface ContainerEnd {
  readonly name: string
  readonly isInit: boolean
  readonly image: string
  /** What the image was at that time, whatever its tag says now; null where it was never pulled. */
  readonly imageDigest: string | null
  readonly limits: Limits
  readonly state: 'waiting' | 'running' | 'terminated'
  /** The kubelet's word: `OOMKilled`, `Error`, `ImagePullBackOff`. */
  readonly reason: string | null
  readonly message: string | null
  readonly exitCode: number | null
  readonly signal: number | null
  readonly startedAt: Instant | null
  readonly finishedAt: Instant | null
  readonly restarts: number
  readonly earlier: EarlierEnd | null
  /** Its newest lines, masked; that of the container which tells most stands in `Ending.tail`, and is empty here. */
  readonly tail: string
}

export interface PodCondition {
  readonly type: string
  readonly status: string
  readonly reason: string | null
  readonly message: string | null
  readonly at: Instant | null
}

/** What parts of the cluster said about the pod. */
export interface PodEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly firstAt: Instant | null
  readonly lastAt: Instant | null
  /** Of which container it tells, where it says so. */
  readonly container?: string
}

/** How the pod's node was when the record was made. */
export interface NodeAtEnd {
  /** Whether the cluster knows no such node any more. */
  readonly isGone: boolean
  readonly isCordoned: boolean
  /** The kernel's id of the boot that it was in; null where it is not said, absent in older records. */
  readonly bootId?: string | null
  readonly conditions: readonly PodCondition[]
  readonly taints: readonly {
    readonly key: string
    readonly value: string | null
    readonly effect: string
    readonly at: Instant | null
  }[]
}

/** What a cluster says about a pod's end, beside its containers. */
export interface PodEnd {
  readonly place: PodPlace
  readonly phase: string
  /** The pod's own word: `Evicted`, `DeadlineExceeded`, `NodeLost`. */
  readonly reason: string | null
  readonly message: string | null
  /** Why somebody wanted it to go, such as `TerminationByKubelet` or `PreemptionByScheduler`. */
  readonly disruption: { readonly reason: string; readonly message: string } | null
  readonly trouble: Trouble | null
  /** When somebody asked that it goes. */
  readonly deletedAt: Instant | null
  readonly conditions: readonly PodCondition[]
  /** Oldest first. */
  readonly events: readonly PodEvent[]
  /** Null where it was never placed, or where nodes may not be read. */
  readonly nodeAtEnd: NodeAtEnd | null
  /** In which boot its node was when it got its job. Null where that was not written down, absent in older records. */
  readonly bootIdAtStart?: string | null
  readonly containers: readonly ContainerEnd[]
  /** Volumes that lie in memory. Absent in records from before they were read, as are owners. */
  readonly memoryVolumes?: readonly { readonly name: string; readonly sizeLimitBytes: number | null }[]
  /** To whom it belongs: when they are deleted, so is it. */
  readonly owners?: readonly { readonly kind: string; readonly name: string }[]
}

/** How a runner ended, as the host that ran it saw it. */
export interface Ending {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly startedAt: Instant | null
  readonly endedAt: Instant
  /** Newest lines of its output, cut at the old end; secrets are masked. Written by untrusted code: never proof. */
  readonly tail: string
  /** Times that the kernel's memory limit killed something of this runner; null where it cannot be read. */
  readonly oomKills: number | null
  readonly memoryPeakBytes: number | null
  readonly memoryLimitBytes: number | null
  /** The newest resource samples, oldest first. */
  readonly samples: readonly Sample[]
  /** Who asked it to stop, where that was us. */
  readonly stopRequestedBy: string | null
  /** Null where it was a process of a machine. */
  readonly pod: PodEnd | null
  /** What could not be read, in words. */
  readonly missing: readonly string[]
  /** The process of ours above a local runner was killed, and so nobody saw how the runner ended. */
  readonly supervisor?: 'killed'
}

export interface Sample {
  readonly at: Instant
  readonly memoryBytes: number | null
  readonly cpuMs: number | null
  readonly processes: number | null
}
