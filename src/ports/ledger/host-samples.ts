import type { HostSample, HostSamples } from '../../domain/death/index.ts'

/** Samples of runners by the agents of nodes. */
export interface HostSampleLedger {
  /**
   * Keeps what a node's agent saw of a runner, the newest of each pod: an end is never taken back, and what was seen
   * until an earlier time does not replace what was seen until a later one (`older`). Each node's
   * samples are kept by themselves.
   */
  putHostSamples(samples: HostSamples): Promise<'kept' | 'older'>
  /** By the node on which the pod is, whatever others say of it; null also where it is not known which node counts. */
  hostSamples(of: HostSamplesKey): Promise<HostSamples | null>
  /** The newest sample of each node whose agent pushed samples within this time, whatever pod it was of; the newest nodes first. */
  nodeSamples(within: {
    readonly pushedWithinMs: number
    readonly limit: number
  }): Promise<readonly NodeSample[]>
  /**
   * Drops samples that were pushed before, and of those that belong to no runner known here the oldest beyond
   * `strangersMax`: an agent sees every pod of its node. At most so many; gives how many.
   */
  dropHostSamples(bounds: {
    readonly olderThanMs: number
    readonly strangersMax: number
    readonly limit: number
  }): Promise<number>
}

/** A node by the sample that its agent took last. */
export interface NodeSample {
  readonly node: string
  readonly sample: HostSample
}

/** Of which pod, and on which node it is according to the cluster. */
export interface HostSamplesKey {
  /** The pod's UID, or the name of a runner that is a process. */
  readonly podUid: string
  /** Null: not known, or a process. */
  readonly node: string | null
}
