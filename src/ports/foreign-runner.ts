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
  /** What the cluster still has about a pod that is gone; those about one that is there stand in `ending`. */
  readonly events: readonly PodEvent[]
  readonly maker: MakerWord | null
  /** What could not be read beside the pod, in words. */
  readonly missing: readonly string[]
}

/** What the object says that stands for the runner at who made it: ARC's EphemeralRunner. */
export interface MakerWord {
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
