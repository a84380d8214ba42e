import type { Instant } from '../time.ts'
import type { ObjectFact } from './object.ts'

/** Amounts by resource name (`cpu` in cores, all else in bytes or pieces): `cpu`, `memory`, `ephemeral-storage`, `nvidia.com/gpu`. */
export type Amounts = Readonly<Record<string, number>>

export interface EnvFact {
  /** `*`, perhaps after a prefix: every key of the Secret or ConfigMap. */
  readonly name: string
  /** Only of names that audits judge (servers, caches, paths of certificates); null for every other. */
  readonly value: string | null
  /** `secret`: the value comes from a Secret's key. */
  readonly from: 'value' | 'secret' | 'config-map' | 'field'
  /** Name of the Secret or ConfigMap. */
  readonly ref: string | null
}

export interface ContainerSpecFact {
  readonly name: string
  readonly isInit: boolean
  /** An init container that runs on next to the others. */
  readonly isSidecar: boolean
  readonly image: string
  readonly requests: Amounts
  readonly limits: Amounts
  readonly env: readonly EnvFact[]
}

export interface Toleration {
  readonly key: string | null
  readonly operator: string
  readonly value: string | null
  readonly effect: string | null
}

export interface VolumeFact {
  readonly name: string
  readonly kind: 'empty-dir' | 'claim' | 'ephemeral-claim' | 'host-path' | 'other'
  /** The claim's name; of an ephemeral one its pod's name and the volume's. */
  readonly claim: string | null
  readonly storageClass: string | null
  readonly sizeBytes: number | null
  /** Where containers mount it. */
  readonly mountPaths: readonly string[]
}

/** The parts of a pod's spec that placement, pulls and envelopes are judged by. */
export interface PodTemplateFact {
  readonly containers: readonly ContainerSpecFact[]
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly tolerations: readonly Toleration[]
  /** Required node affinity: a node fits where every expression of one term holds. Null: none. */
  readonly nodeAffinity: readonly (readonly NodeExpression[])[] | null
  readonly volumes: readonly VolumeFact[]
  readonly imagePullSecrets: readonly string[]
  readonly priorityClass: string | null
  readonly serviceAccount: string | null
  /** Of the runtime class, as the API server put it into the pod. */
  readonly overhead: Amounts
  /** Of its pods; those that a controller adds are not in a template. */
  readonly labels: Readonly<Record<string, string>>
  /** Null where it is not known: files of older versions do not say it. */
  readonly podRules: PodRulesFact | null
}

/** Required rules of a pod about other pods. Preferences are left out: they keep no pod off a node. */
export interface PodRulesFact {
  readonly affinity: readonly PodTermFact[]
  readonly antiAffinity: readonly PodTermFact[]
  /** Topology spread constraints that keep pods waiting (`DoNotSchedule`), by topology key. */
  readonly spread: readonly string[]
}

export interface PodTermFact {
  readonly topologyKey: string
  /** Every expression holds for a pod's labels; null: no pod is meant. */
  readonly selector: readonly NodeExpression[] | null
  /** Null: every namespace; none: the pod's own. */
  readonly namespaces: readonly string[] | null
  /** False where it has parts that are not in this fact: a namespace selector, keys of labels to match. */
  readonly isWhole: boolean
}

export interface NodeExpression {
  /** A label of the node, or `metadata.name`: the node's own name. */
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  readonly values: readonly string[]
}

export interface ContainerStateFact {
  readonly kind: 'waiting' | 'running' | 'terminated'
  readonly reason: string | null
  readonly message: string | null
  readonly exitCode: number | null
  readonly signal: number | null
  readonly startedAt: Instant | null
  readonly finishedAt: Instant | null
}

export interface ContainerStatusFact {
  readonly name: string
  readonly isReady: boolean
  readonly restarts: number
  readonly imageId: string | null
  /** Null where the kubelet has not reported it yet. */
  readonly state: ContainerStateFact | null
  readonly lastState: ContainerStateFact | null
}

export interface ConditionFact {
  readonly type: string
  readonly status: string
  readonly reason: string | null
  readonly message: string | null
  readonly at: Instant | null
}

export interface PodFact extends ObjectFact, PodTemplateFact {
  readonly annotations: Readonly<Record<string, string>>
  readonly owner: { readonly kind: string; readonly name: string; readonly uid: string } | null
  /** Null until it is scheduled. */
  readonly node: string | null
  readonly phase: string
  readonly reason: string | null
  readonly message: string | null
  readonly startedAt: Instant | null
  readonly conditions: readonly ConditionFact[]
  readonly statuses: readonly ContainerStatusFact[]
  readonly priority: number | null
}
