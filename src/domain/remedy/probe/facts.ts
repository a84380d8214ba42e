import type { EnvFact, ObjectRef, PodFact, ScaleSetFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { RemedyFacts } from '../remedy.ts'

/** The questions that a probe can ask from a lane. */
export const probeKinds = ['nix-cache', 'npm-tls', 'image-pull'] as const
export type ProbeKind = (typeof probeKinds)[number]

/** A scale set as its next runners are made from it. */
export interface LaneReading {
  readonly set: ScaleSetFact
  /** Of its spec: its status, which ARC writes all the time, does not move it. */
  readonly generation: number
}

/** The one pod that a probe makes. It must not be there: its name is fixed, so that there is never a second one. */
interface PlannedProbe extends PlannedObject {
  readonly kind: 'Pod'
  readonly asks: ProbeKind
  /** On the pod too: by it a pod is known as that of this plan, and of no other. */
  readonly probeId: string
  readonly scaleSet: ObjectRef & { readonly uid: string; readonly generation: number }
  readonly image: string
  readonly imagePullSecrets: readonly string[]
  /** Variables that the pod gets, by their names and origins: values stay where they are. */
  readonly env: readonly Pick<EnvFact, 'name' | 'from' | 'ref'>[]
  /** Null: wherever the lane's runners may run. */
  readonly node: string | null
  /** The host whose certificates are looked at; null in other probes. */
  readonly registry: string | null
  readonly deadlineSeconds: number
}

export interface ProbeScope {
  readonly set: ObjectRef
  readonly node: string | null
  readonly registry: string | null
  readonly deadlineSeconds: number
}

export type ProbePlan = Plan<`probe-${ProbeKind}`, ProbeScope, PlannedProbe>

export interface ProbeFacts extends RemedyFacts {
  readonly plan: ProbePlan
  readonly fresh: {
    readonly sources: { readonly cluster: Instant }
    readonly lane: LaneReading | null
    /** A pod that has the name already. */
    readonly pod: PodFact | null
  }
  readonly after: { readonly at: Instant; readonly pod: PodFact | null }
  readonly end: object
}

/** A pod of a probe that is to go. */
interface PlannedRemoval extends PlannedObject {
  readonly kind: 'Pod'
}

export interface ProbeCleanScope {
  readonly namespaces: readonly string[]
  /** The probe that has just ended: its pod goes at once. Null: pods that earlier ones left. */
  readonly probeId: string | null
}

export type ProbeCleanPlan = Plan<'probe-clean', ProbeCleanScope, PlannedRemoval>

export interface ProbeCleanFacts extends RemedyFacts {
  readonly plan: ProbeCleanPlan
  readonly fresh: { readonly sources: { readonly cluster: Instant }; readonly pod: PodFact | null }
  readonly after: { readonly pod: PodFact | null }
  readonly end: object
}
