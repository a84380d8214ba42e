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

/** One container of a pod at its end. */
export interface ContainerEnd {
  readonly name: string
  readonly isInit: boolean
  readonly image: string
  readonly state: 'waiting' | 'running' | 'terminated'
  /** The kubelet's word: `OOMKilled`, `Error`, `ImagePullBackOff`. */
  readonly reason: string | null
  readonly message: string | null
  readonly exitCode: number | null
  readonly signal: number | null
  readonly startedAt: Instant | null
  readonly finishedAt: Instant | null
  readonly restarts: number
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
  readonly containers: readonly ContainerEnd[]
}

/** How a runner ended, as the host that ran it saw it. */
export interface Ending {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly startedAt: Instant | null
  readonly endedAt: Instant
  /** Newest lines of its output, cut at the old end; secrets are masked. */
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
}

export interface Sample {
  readonly at: Instant
  readonly memoryBytes: number | null
  readonly cpuMs: number | null
  readonly processes: number | null
}

export const deathClasses = [
  'clean',
  'container-oom',
  'evicted',
  'preempted',
  'node-drained',
  'node-lost',
  'deadline-exceeded',
  'terminated',
  'deleted',
  'sigkill-unknown',
  'crash',
  'failed',
  'never-started',
  'vanished',
  'unknown',
] as const
export type DeathClass = (typeof deathClasses)[number]

/** What is sealed about a runner's end before anything of it is removed. */
export interface DeathRecord {
  readonly outcome: 'complete' | 'incomplete'
  readonly class: DeathClass
  readonly confidence: 'proven' | 'likely' | 'unknown'
  readonly because: readonly string[]
  readonly ending: Ending | null
}
