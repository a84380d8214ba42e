import type { GitlabJobRef } from '../domain/gitlab/index.ts'
import type { GitlabJobReading, PodsReading } from '../domain/remedy/index.ts'
import type { ObjectRef, PodFact } from '../domain/snapshot/index.ts'
import type { Exactly } from './cluster.ts'
import type { Removal } from './remedy.ts'

/** Pods of a cluster, as a remedy of GitLab Runner needs them. Every read asks the API server now, past every cache. */
export interface RemedyPods {
  /** All of them; throws where any cannot be read: a manager that is not seen is no manager that is gone. */
  listPods(signal: AbortSignal): Promise<PodsReading>
  /** Null: there is none. */
  readPod(place: ObjectRef, signal: AbortSignal): Promise<PodFact | null>
  /** Deletes one pod in exactly this state. Throws where the cluster refuses: then nothing was done. */
  removePod(target: Exactly & ObjectRef, signal: AbortSignal): Promise<Removal>
}

/** GitLab, as a remedy needs it. */
export interface GitlabJobs {
  /** Of its web site: it says nothing about jobs of another server. */
  readonly url: string
  /** One job, asked now; throws where GitLab does not answer, or refuses the token. */
  readJob(ref: GitlabJobRef, signal: AbortSignal): Promise<GitlabJobReading>
}
