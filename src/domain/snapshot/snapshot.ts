import type { Instant } from '../time.ts'
import type { ClusterFacts } from './cluster.ts'
import type { ForgeFacts } from './forge.ts'

/** Of the file format; a newer file is refused, an older one is read. */
export const snapshotVersion = 1

/**
 * How a snapshot was narrowed; null: not at all. Its lists are whole for the scope. Where namespaces or labels narrow it,
 * nodes look emptier than they are: pods outside of the scope are not in it.
 */
export interface SnapshotScope {
  /** Sets and objects in these, and the listeners of these sets with the objects of their namespaces. */
  readonly namespaces: readonly string[] | null
  /** Only sets with these runner labels, and what belongs to them; pods that belong to no set stay. */
  readonly labels: readonly string[] | null
  /** Statistics and settings of these kubelets only; nodes and pods are all listed, since they are joined. */
  readonly nodes: readonly string[] | null
}

/** The cost of reading it. */
export interface SnapshotCost {
  readonly requests: number
  readonly bytes: number
  readonly ms: number
}

/** The facts of cluster, forge, nodes and files at one time, free of secrets; every audit is judged from them alone. */
export interface Snapshot {
  readonly version: typeof snapshotVersion
  readonly id: string
  readonly takenAt: Instant
  /** The Holdfast that read it. */
  readonly program: string
  readonly clusterName: string | null
  readonly clusterVersion: string | null
  readonly scope: SnapshotScope
  /** Names the key of the Secrets' hashes: hashes of snapshots with the same scope may be compared, no others. */
  readonly hashScope: string | null
  readonly cost: SnapshotCost
  readonly cluster: ClusterFacts
  readonly forge: ForgeFacts
}
