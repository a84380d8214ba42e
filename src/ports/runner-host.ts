import type { Ending } from '../domain/death/index.ts'
import type { Instant } from '../domain/time.ts'

export interface RunnerStart {
  /** Name of the runner, its process and its folder. */
  readonly name: string
  readonly pool: string
  /** By which the runner proves who it is; reaches the runner's program only. */
  readonly secret: string
}

export interface HostedRunner {
  readonly name: string
  readonly pool: string
  readonly state: 'running' | 'exited'
  readonly startedAt: Instant | null
}

/**
 * What runs runners: processes on this machine, later pods in a cluster. A runner that ended stays listed
 * until it is released, so that its end can be read and sealed first (I5), also after a restart of Holdfast.
 */
export interface RunnerHost {
  /** Tells this host from every other one that shares the ledger; the same after a restart. */
  readonly id: string
  /** Starts a runner; a second start under a name that is already there changes nothing. */
  start(runner: RunnerStart, signal: AbortSignal): Promise<void>
  /** Everything on the host that is ours. Throws where it cannot be read: never an empty list for a failed read. */
  list(): Promise<readonly HostedRunner[]>
  /** How it ended; null while it runs or where it is unknown. */
  ending(name: string): Promise<Ending | null>
  /** Asks it to stop, then ends it and all that it started. The reason becomes part of its ending. */
  stop(name: string, reason: string, graceMs: number): Promise<void>
  /** Removes what is left of a runner that ended. Repeating it is harmless. */
  release(name: string): Promise<void>
  /** Calls back when a runner ended; may be late or missed, so that callers list as well. */
  onEnd(callback: (name: string) => void): () => void
}
