import type { GitlabJobRef } from '../../gitlab/index.ts'
import type { PodFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { RemedyFacts } from '../remedy.ts'

export interface GitlabOrphansScope {
  readonly namespaces: readonly string[]
  /** The address of the GitLab that was asked about the jobs; null: none was, and the pods alone must prove their end. */
  readonly gitlab: string | null
}

/** One job pod that a plan removes. */
interface OrphanTarget extends PlannedObject {
  readonly kind: 'Pod'
  /** Null: its annotations do not name the job. */
  readonly job: GitlabJobRef | null
}

export type GitlabOrphansPlan = Plan<'gitlab-orphans', GitlabOrphansScope, OrphanTarget>

/** Every pod of the cluster at one time: an orphan is known by a manager's absence. */
export interface PodsReading {
  readonly at: Instant
  readonly pods: readonly PodFact[]
}

/** The word of GitLab about one job. */
export interface GitlabJobReading {
  readonly at: Instant
  /** Null: GitLab shows this token no such job. */
  readonly status: string | null
}

/** The facts of `fix gitlab-orphans`, from the cluster and, where a token was given, from GitLab. */
export interface GitlabOrphansFacts extends RemedyFacts {
  readonly plan: GitlabOrphansPlan
  readonly fresh: {
    readonly sources: { readonly cluster: Instant; readonly gitlab?: Instant }
    readonly reading: PodsReading
    /** Null: it was not asked. */
    readonly job: GitlabJobReading | null
  }
  readonly after: { readonly pod: PodFact | null }
  readonly end: { readonly reading: PodsReading }
}
