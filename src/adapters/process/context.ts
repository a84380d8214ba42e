import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Limits, Prepared } from './cgroup/index.ts'
import type { RunnerUsers } from './isolation/index.ts'
import type { ProcessIdentity } from './proc/index.ts'
import type { StartRecord } from './records/index.ts'

/** The command of a pool's runners, with its environment and limits. */
export interface RunnerShape {
  readonly command: readonly string[]
  /** The runner's whole environment besides our marks; without secrets. Nothing is inherited from Holdfast. */
  readonly env: Readonly<Record<string, string>>
  readonly limits: Limits
  /**
   * The command asks for a job and runs it as its child, so that the child shows that the job's program has started.
   * Where absent, that is unknown.
   */
  readonly runsJobAsChild?: boolean
}

/** A live runner in the memory of this process: a job that removes its own records must not vanish by that. */
export interface Remembered {
  readonly start: StartRecord
  readonly shim: ProcessIdentity
}

/** State shared by the parts of the host. */
export interface HostContext {
  readonly folder: string
  /** Names this host in the environment of its processes. */
  readonly hostId: string
  readonly clock: Clock
  readonly log: Log
  readonly cgroups: Prepared
  readonly shape: (pool: string) => RunnerShape
  /** By name; kept by the watch from the start or the adoption until the end is settled. */
  readonly living: Map<string, Remembered>
  /** Why this process stopped a runner, by name, until it is released: the file may not survive the job. */
  readonly stopReasons: Map<string, string>
  /**
   * By name, how a supervisor that this process started ended: the signal, or null where it ended by itself. Until its
   * end is settled.
   */
  readonly shimExits: Map<string, Promise<string | null>>
  /** Gives each runner a user of its own; null: runners are the user that Holdfast is. */
  readonly users: RunnerUsers | null
}
