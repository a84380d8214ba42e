import type { Instant } from '../time.ts'
import type { ListenerFact, RunnerFact, RunnerSetFact, ScaleSetFact } from './arc.ts'
import type { ObjectFact, ObjectRef } from './object.ts'
import type { Amounts, ConditionFact, PodFact } from './pod.ts'
import type { Listing } from './reading.ts'

export interface TaintFact {
  readonly key: string
  readonly value: string | null
  readonly effect: string
}

export interface NodeFact extends ObjectFact {
  readonly labels: Readonly<Record<string, string>>
  readonly isCordoned: boolean
  readonly taints: readonly TaintFact[]
  readonly conditions: readonly ConditionFact[]
  readonly allocatable: Amounts
  readonly capacity: Amounts
  readonly kubeletVersion: string | null
  readonly osImage: string | null
  readonly bootId: string | null
  /** Names of the images that are on it, as far as the kubelet reports them (the largest 50 by default). */
  readonly images: readonly string[]
  /** Cluster API's Machine, where an annotation names it. */
  readonly machine: ObjectRef | null
}

export interface FilesystemUsage {
  readonly availableBytes: number | null
  readonly capacityBytes: number | null
  readonly usedBytes: number | null
  readonly inodesFree: number | null
  readonly inodes: number | null
}

/** A node by its kubelet's `stats/summary`. */
export interface NodeUsageFact {
  readonly node: string
  readonly at: Instant
  readonly nodefs: FilesystemUsage
  readonly imagefs: FilesystemUsage
  readonly memoryAvailableBytes: number | null
  readonly processesMax: number | null
  readonly processes: number | null
  readonly pods: readonly {
    readonly pod: ObjectRef
    readonly ephemeralBytes: number | null
    readonly memoryWorkingSetBytes: number | null
  }[]
}

/** A node's kubelet settings by its `configz`. */
export interface NodeSettingsFact {
  readonly node: string
  readonly maxPods: number | null
  /** As written: `10%` or `1Gi`, by signal (`nodefs.available`). */
  readonly evictionHard: Readonly<Record<string, string>>
  readonly imageGcHighPercent: number | null
}

/** A node by Holdfast's agent, where one runs there. */
export interface NodeProbeFact {
  readonly node: string
  readonly at: Instant
  readonly fileTable: { readonly allocated: number; readonly max: number } | null
  readonly openFilesMax: number | null
  /** Names of runners with a `Runner.Worker` process. */
  readonly workers: readonly string[] | null
}

export interface EventFact {
  readonly namespace: string
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly subject: { readonly kind: string; readonly name: string; readonly uid: string | null }
  readonly count: number
  readonly firstAt: Instant | null
  readonly lastAt: Instant | null
}

export interface QuotaFact extends ObjectFact {
  readonly isScoped: boolean
  readonly hard: Amounts
  readonly used: Amounts
}

export interface LimitRangeFact extends ObjectFact {
  readonly limits: readonly {
    readonly type: string
    readonly max: Amounts
    readonly min: Amounts
    readonly defaultLimits: Amounts
    readonly defaultRequests: Amounts
  }[]
}

export interface ClaimFact extends ObjectFact {
  readonly phase: string
  readonly storageClass: string | null
  readonly requestedBytes: number | null
  readonly volume: string | null
}

export interface StorageClassFact {
  readonly name: string
  readonly provisioner: string
  readonly isDefault: boolean
  readonly bindsOnFirstConsumer: boolean
}

/** Free space of a storage class, where the driver reports it (CSIStorageCapacity). */
export interface StorageCapacityFact {
  readonly storageClass: string
  readonly availableBytes: number | null
  /** Labels of the nodes that it is about; empty: all. */
  readonly nodeLabels: Readonly<Record<string, string>>
}

export interface AutoscalerFact extends ObjectFact {
  readonly target: { readonly kind: string; readonly name: string }
  readonly min: number
  readonly max: number
  readonly current: number | null
  readonly desired: number | null
  readonly conditions: readonly ConditionFact[]
}

export interface PriorityClassFact {
  readonly name: string
  readonly value: number
  readonly isDefault: boolean
  readonly preempts: boolean
}

export interface DeploymentFact extends ObjectFact {
  readonly labels: Readonly<Record<string, string>>
  readonly replicas: number
  readonly available: number
  readonly images: Readonly<Record<string, string>>
  /** The arguments of its first container that audits judge: ARC's controller says its update strategy there. */
  readonly args: readonly string[]
}

export interface ServiceFact extends ObjectFact {
  readonly ports: readonly number[]
  /** Addresses that are ready behind it; null where endpoints could not be read, or where it is only another name. */
  readonly readyAddresses: number | null
}

/**
 * A Secret without its values: each key by a keyed hash, comparable within the snapshot's hash scope only. That of a pull
 * secret is of its credentials by registry, however their JSON is written. Only the namespaces of runners and their
 * programs are listed, without tokens of service accounts and Helm's releases.
 */
export interface SecretFact extends ObjectFact {
  readonly type: string
  readonly keys: readonly { readonly name: string; readonly hash: string | null }[]
  /** Registries with credentials in a pull secret; empty for every other type. */
  readonly registries: readonly string[]
}

/** The newest lines of a container's log, masked. */
export interface LogFact {
  readonly pod: ObjectRef
  readonly container: string
  readonly role: 'controller' | 'listener' | 'runner' | 'manager'
  readonly lines: readonly string[]
  readonly isCut: boolean
}

/** Cluster API's Machine. */
export interface MachineFact extends ObjectFact {
  readonly phase: string | null
  readonly node: string | null
  readonly version: string | null
  readonly conditions: readonly ConditionFact[]
}

/** A namespace; one for each job is a layout of GitLab Runner. */
export interface NamespaceFact extends ObjectFact {
  readonly phase: string
}

/** A CronJob, as far as it may remove pods. */
export interface CronJobFact extends ObjectFact {
  readonly schedule: string
  readonly isSuspended: boolean
  /** Lines of its commands that list or delete objects, masked; any other line may have a secret in it. */
  readonly deleting: readonly string[]
}

/** The facts of the cluster and its nodes. */
export interface ClusterFacts {
  readonly scaleSets: Listing<ScaleSetFact>
  readonly listeners: Listing<ListenerFact>
  readonly runnerSets: Listing<RunnerSetFact>
  readonly runners: Listing<RunnerFact>
  readonly pods: Listing<PodFact>
  readonly nodes: Listing<NodeFact>
  readonly nodeUsage: Listing<NodeUsageFact>
  readonly nodeSettings: Listing<NodeSettingsFact>
  readonly nodeProbes: Listing<NodeProbeFact>
  readonly events: Listing<EventFact>
  readonly quotas: Listing<QuotaFact>
  readonly limitRanges: Listing<LimitRangeFact>
  readonly claims: Listing<ClaimFact>
  readonly storageClasses: Listing<StorageClassFact>
  readonly storageCapacity: Listing<StorageCapacityFact>
  readonly autoscalers: Listing<AutoscalerFact>
  readonly priorityClasses: Listing<PriorityClassFact>
  readonly deployments: Listing<DeploymentFact>
  readonly services: Listing<ServiceFact>
  readonly secrets: Listing<SecretFact>
  /** Of controllers, listeners and managers. */
  readonly logs: Listing<LogFact>
  /** Of runners' pods that failed or ended. Written by jobs as well: never proof. */
  readonly runnerLogs: Listing<LogFact>
  readonly machines: Listing<MachineFact>
  readonly namespaces: Listing<NamespaceFact>
  readonly cronJobs: Listing<CronJobFact>
}
