import type { Ending, PodEvent } from '../domain/death/index.ts'
import type { Instant } from '../domain/time.ts'

/** A runner that somebody else made, as its cluster shows it now. Nothing was sealed about it. */
export interface ForeignRunner {
  readonly namespace: string
  readonly pod: string
  /** `gone`: the cluster has no such pod any more. */
  readonly state: 'running' | 'ended' | 'gone'
  /** How it ended, or how far it has come; null where the pod is gone. */
  readonly ending: Ending | null
  /** Events that the cluster still has about a pod that is gone; events about a pod that is there stand in `ending`. */
  readonly events: readonly PodEvent[]
  readonly owner: OwnerStatus | null
  /** Of a pod of GitLab Runner; in `ending` its build container is the runner. */
  readonly gitlab?: GitlabJob | null
  /** Objects other than the pod that could not be read, in words. */
  readonly missing: readonly string[]
}

/** The job that a pod of GitLab Runner was made for, as far as the pod names it. */
export interface GitlabJob {
  readonly id: string | null
  readonly url: string | null
  readonly name: string | null
  readonly project: string | null
  /** The name of its runner in config.toml. */
  readonly runner: string | null
}

/** The status of the object that owns the runner's pod: ARC's EphemeralRunner. */
export interface OwnerStatus {
  readonly kind: string
  readonly name: string
  readonly phase: string | null
  readonly reason: string | null
  readonly message: string | null
  /** Pods that it had and that failed, oldest first; without a time where this version of ARC notes none. */
  readonly failures: readonly { readonly podUid: string; readonly at: Instant | null }[]
  readonly createdAt: Instant | null
  readonly deletedAt: Instant | null
  readonly job: {
    readonly repository: string
    readonly name: string
    readonly runId: number | null
  } | null
}
