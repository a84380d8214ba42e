import type { StartProblemKind } from '../../domain/pool/index.ts'
import type { Instant } from '../../domain/time.ts'

/** Hosts of runners (machines, clusters): heartbeats, loss, and starts that failed on their nodes. */
export interface HostLedger {
  /** The host lives: noted with the ledger's time, also where it was given up before. */
  heartbeat(host: { readonly id: string; readonly kind: HostKind }): Promise<void>
  /** Every host that is known, by its id. */
  hosts(): Promise<readonly HostRow[]>
  /** Hosts that are lost and have no live runner any more are over; gives which ended now. */
  endLostHosts(): Promise<readonly string[]>
  /**
   * Runners of this host whose record says that they ended on a node without having started, newest first, at most
   * `failedStartsMax`. Not those that somebody took away before anything was wrong with them.
   */
  failedStarts(host: string, withinMs: number): Promise<readonly FailedStart[]>
}

/** A machine or a cluster that runs runners. */
export interface HostRow {
  readonly id: string
  /** `unknown` until its first heartbeat. */
  readonly kind: HostKind
  readonly firstSeenAt: Instant
  readonly heartbeatAt: Instant
  /** Silent for longer than a host may be, by the ledger's clock: its runners are judged by the others. */
  readonly isLost: boolean
  readonly endedAt: Instant | null
  readonly liveRunners: number
}
export const hostKinds = ['local', 'kubernetes', 'unknown'] as const
export type HostKind = (typeof hostKinds)[number]

/** A runner that ended before its program started, and where. */
export interface FailedStart {
  readonly runner: string
  readonly pool: string
  readonly node: string
  /** The problem that kept it from starting, where the host knew: some are the pool's fault, and not the node's. */
  readonly startProblem: StartProblemKind | null
  readonly at: Instant
}

/** Failed starts that are listed at most: the newest suffice to judge nodes. */
export const failedStartsMax = 1_000
