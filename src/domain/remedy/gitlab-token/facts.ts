import type { ObjectRef, PodFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { SecretReading } from '../pull-secrets/facts.ts'
import type { RemedyFacts } from '../remedy.ts'

/** The Deployment of one manager of GitLab Runner, which is restarted once. */
interface ManagerTarget extends PlannedObject {
  readonly kind: 'Deployment'
  /** The Secret with the token that a restart reads, in exactly the state in which GitLab accepted it. */
  readonly secret: ObjectRef & { readonly uid: string; readonly resourceVersion: string }
  readonly secretKey: string
  /** The runner at GitLab whose token it is. */
  readonly runnerId: number
  /** Written into the pod template: by it a restart is known again. */
  readonly mark: string
  /** Where its jobs' pods are. */
  readonly jobNamespaces: readonly string[]
}

export interface GitlabTokenScope {
  readonly deployment: ObjectRef
  readonly jobNamespaces: readonly string[]
}

export type GitlabTokenPlan = Plan<'gitlab-token', GitlabTokenScope, ManagerTarget>

/** A Deployment as a restart needs it. */
export interface DeploymentReading {
  readonly uid: string
  readonly resourceVersion: string
  readonly images: readonly string[]
  /** Its pods have all of these labels. */
  readonly selector: Readonly<Record<string, string>>
  /** Secrets that its pods mount or read variables from. */
  readonly secretNames: readonly string[]
  /** The mark of the last restart by Holdfast. */
  readonly mark: string | null
  /** Whether every pod is of its newest template, and available. */
  readonly isRolledOut: boolean
}

/** One pod of the manager and the newest lines of its log. */
export interface ManagerPod {
  readonly pod: PodFact
  readonly lines: readonly string[]
}

/** The word of GitLab about one runner. */
export interface GitlabRunnerReading {
  readonly status: string
  readonly contactedAt: Instant | null
}

/** The manager in the cluster, read at one time. */
export interface ManagerReading {
  readonly deployment: DeploymentReading | null
  readonly secret: SecretReading | null
  readonly managers: readonly ManagerPod[]
}

/** The facts of `fix gitlab-token`, from the cluster and from GitLab. */
export interface GitlabTokenFacts extends RemedyFacts {
  readonly plan: GitlabTokenPlan
  readonly fresh: ManagerReading & {
    readonly sources: { readonly cluster: Instant; readonly gitlab: Instant }
    /** Pods of jobs that live. */
    readonly jobPods: readonly PodFact[]
    /** The runner whose token the Secret has; null: GitLab refuses it, or the Secret changed meanwhile. */
    readonly tokenOf: number | null
    /** Jobs that GitLab sees running on the runner. */
    readonly runningJobs: readonly number[]
  }
  readonly after: ManagerReading & { readonly runner: GitlabRunnerReading | null }
  readonly end: ManagerReading & { readonly runner: GitlabRunnerReading | null }
}
