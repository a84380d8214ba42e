import type { StartProblem } from '../pool/index.ts'
import type { Instant } from '../time.ts'

/** The pod of a runner, and its node. */
interface PodPlace {
  readonly namespace: string
  readonly pod: string
  readonly uid: string
  /** Null where the pod was never scheduled. */
  readonly node: string | null
}

/** The end of a container before its last restart. */
export interface EarlierEnd {
  readonly reason: string | null
  readonly exitCode: number | null
  readonly signal: number | null
  readonly finishedAt: Instant | null
}

/** The limits of a container; null where there is none. */
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
  /** The digest that was pulled, wherever the tag points now; null where nothing was pulled. */
  readonly imageDigest: string | null
  readonly limits: Limits
  readonly state: 'waiting' | 'running' | 'terminated'
  /** The kubelet's reason: `OOMKilled`, `Error`, `ImagePullBackOff`. */
  readonly reason: string | null
  readonly message: string | null
  readonly exitCode: number | null
  readonly signal: number | null
  readonly startedAt: Instant | null
  readonly finishedAt: Instant | null
  readonly restarts: number
  readonly earlier: EarlierEnd | null
  /** The newest lines of its log, redacted. Empty for the container whose log is `Ending.tail`. */
  readonly tail: string
}

export interface PodCondition {
  readonly type: string
  readonly status: string
  readonly reason: string | null
  readonly message: string | null
  readonly at: Instant | null
}

/** A Kubernetes event about the pod. */
export interface PodEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly firstAt: Instant | null
  readonly lastAt: Instant | null
  /** The container that the event is about, where it names one. */
  readonly container?: string
}

/** The state of the pod's node when the record was made. */
export interface NodeAtEnd {
  /** Whether the node object is gone. */
  readonly isGone: boolean
  readonly isCordoned: boolean
  /** The boot id of the node's kernel; null where it is not reported, absent in older records. */
  readonly bootId?: string | null
  readonly conditions: readonly PodCondition[]
  readonly taints: readonly {
    readonly key: string
    readonly value: string | null
    readonly effect: string
    readonly at: Instant | null
  }[]
}

/** A pod at its end: its status, its events, its node and its containers. */
export interface PodEnd {
  readonly place: PodPlace
  readonly phase: string
  /** The reason in the pod's status: `Evicted`, `DeadlineExceeded`, `NodeLost`. */
  readonly reason: string | null
  readonly message: string | null
  /** The condition DisruptionTarget, such as `TerminationByKubelet` or `PreemptionByScheduler`. */
  readonly disruption: { readonly reason: string; readonly message: string } | null
  readonly trouble: StartProblem | null
  /** When its deletion was requested. */
  readonly deletedAt: Instant | null
  readonly conditions: readonly PodCondition[]
  /** Oldest first. */
  readonly events: readonly PodEvent[]
  /** Null where the pod was never scheduled, or where nodes may not be read. */
  readonly nodeAtEnd: NodeAtEnd | null
  /** The boot id of its node when it got its job. Null where it was not recorded, absent in older records. */
  readonly bootIdAtStart?: string | null
  readonly containers: readonly ContainerEnd[]
  /** Volumes with medium Memory. Absent in older records, as are owners. */
  readonly memoryVolumes?: readonly { readonly name: string; readonly sizeLimitBytes: number | null }[]
  /** Its owner references: the garbage collector deletes it after them. */
  readonly owners?: readonly { readonly kind: string; readonly name: string }[]
}

/** How a runner ended, as its host observed it. */
export interface Ending {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly startedAt: Instant | null
  readonly endedAt: Instant
  /** The newest lines of its output, redacted. Written by untrusted code: never proof. */
  readonly tail: string
  /** Kills at the memory limit of this runner's cgroup; null where the count cannot be read. */
  readonly oomKills: number | null
  readonly memoryPeakBytes: number | null
  readonly memoryLimitBytes: number | null
  /** The newest resource samples, oldest first. */
  readonly samples: readonly Sample[]
  /** Why Holdfast stopped it; null where it did not. */
  readonly stopRequestedBy: string | null
  /** Null for a local process. */
  readonly pod: PodEnd | null
  /** Descriptions of the evidence that could not be read. */
  readonly missing: readonly string[]
  /** `killed`: the supervisor of a local runner was killed, so that nobody saw how the runner ended. */
  readonly supervisor?: 'killed'
}

export interface Sample {
  readonly at: Instant
  readonly memoryBytes: number | null
  readonly cpuMs: number | null
  readonly processes: number | null
}
