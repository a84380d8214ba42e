import type { PodPlan } from '../../../domain/pool/index.ts'
import type { Manifest } from '../../../ports/cluster.ts'

/** The settings that all pods of this Holdfast have in common. */
export interface PodSite {
  readonly namespace: string
  /** Where pollers ask. */
  readonly serverUrl: string
  readonly pollerImage: string
  /** Whose token the poller shows; a template may name another where that is allowed. It needs no rights. */
  readonly serviceAccount: string
  /** The allowances of pools beyond the baseline, by name (`fleet.allow`); unset: none. */
  readonly allow?: readonly string[]
  /** Service accounts that no runner has, whatever is allowed: with theirs, the poller's token would be an agent's. */
  readonly reservedAccounts?: readonly string[]
  readonly audience: string
  /** How long each token is good for; the kubelet renews it. */
  readonly tokenSeconds: number
  readonly hostId: string
  readonly pollMs: number
}

export interface PodOrder {
  /** Name of the runner and of its pod. */
  readonly runner: string
  readonly pool: string
  readonly plan: PodPlan
  readonly site: PodSite
  /** Nodes that it must not be placed on. */
  readonly avoidNodes: readonly string[]
  /** Nodes that it is placed on only where no other one takes it. */
  readonly unwantedNodes?: readonly string[]
}

export interface PodManifest extends Manifest {
  readonly apiVersion: 'v1'
  readonly kind: 'Pod'
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
    readonly finalizers: readonly string[]
  }
  readonly spec: PodSpec
}

/** The fields of a pod that we write; a template may add more. */
export interface PodSpec {
  readonly restartPolicy: 'Never'
  readonly terminationGracePeriodSeconds: number
  readonly serviceAccountName: string
  readonly automountServiceAccountToken: false
  readonly enableServiceLinks: false
  readonly runtimeClassName?: string
  readonly securityContext: SecurityContext
  readonly initContainers: readonly Container[]
  readonly containers: readonly Container[]
  readonly volumes: readonly Volume[]
  readonly affinity?: { readonly nodeAffinity?: NodeAffinity }
  /** These two come from templates alone. */
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly tolerations?: readonly Toleration[]
}

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms?: readonly NodeSelectorTerm[]
  }
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly weight: number
    readonly preference: NodeSelectorTerm
  }[]
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[]
  readonly matchFields?: readonly NodeSelectorRequirement[]
}

interface NodeSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  /** `Always` on an init container: a sidecar, which does not keep the pod alive. */
  readonly restartPolicy?: 'Always'
  readonly env?: readonly EnvVar[]
  readonly resources?: Resources
  readonly securityContext?: SecurityContext
  readonly startupProbe?: Readonly<Record<string, unknown>>
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError'
  readonly volumeMounts?: readonly VolumeMount[]
}

export interface EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } }
}

export interface Resources {
  readonly requests?: Readonly<Record<string, string>>
  readonly limits?: Readonly<Record<string, string>>
}

/** Of a pod and of a container; each has only some of these. */
export interface SecurityContext {
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly fsGroup?: number
  readonly privileged?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly readOnlyRootFilesystem?: boolean
  readonly capabilities?: { readonly drop: readonly string[] }
  readonly seccompProfile?: { readonly type: string }
}

export interface VolumeMount {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
}

export interface Volume {
  readonly name: string
  readonly emptyDir?: { readonly medium?: 'Memory'; readonly sizeLimit: string }
  readonly projected?: { readonly sources: readonly Readonly<Record<string, unknown>>[] }
}
