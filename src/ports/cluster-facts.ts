import type { ClusterFacts, SnapshotCost, SnapshotScope } from '../domain/snapshot/index.ts'

export interface ClusterFactsOrder {
  readonly scope: SnapshotScope
  /** The keyed hash of a Secret's value: the only form in which one leaves the adapter. */
  readonly hash: (value: Uint8Array) => string
  /** A short text for a person who waits: `pods: 4,000 read`. */
  readonly onProgress?: (text: string) => void
}

/** The facts of a cluster, its name and version where they are known, and the cost of reading. */
export interface ClusterReading {
  readonly clusterName: string | null
  readonly clusterVersion: string | null
  readonly facts: ClusterFacts
  readonly cost: SnapshotCost
}

export interface ClusterFactsReader {
  /**
   * Reads everything in scope that may be read; the rest is unread with the answer that was got and the right that is
   * missing. Texts of pods, events and logs are masked. Throws only where the cluster does not answer at all.
   */
  readClusterFacts(order: ClusterFactsOrder, signal: AbortSignal): Promise<ClusterReading>
}
