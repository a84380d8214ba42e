import type { Ending, Sample } from '../../../domain/death/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { RunnerGroups } from '../cgroup/index.ts'
import type { RunnerUser } from '../isolation/types.ts'
import type { ProcessIdentity } from '../proc/index.ts'

/** start.json */
export interface StartRecord {
  readonly name: string
  readonly pool: string
  readonly host: string
  readonly requestedAt: Instant
  readonly command: readonly string[]
  /** The whole environment of the runner, without secrets. */
  readonly env: Readonly<Record<string, string>>
  readonly groups: RunnerGroups | null
  /** See RunnerShape; a record of an older version does not say. */
  readonly runsJobAsChild?: boolean
  /** As whom its program runs; null or absent: as Holdfast itself. */
  readonly user?: RunnerUser | null
}

/** runner.json */
export interface RunnerRecord {
  readonly name: string
  readonly pool: string
  readonly startedAt: Instant | null
  readonly shim: ProcessIdentity
  readonly runner: ProcessIdentity | null
}

/** stop.json */
export interface StopRecord {
  readonly reason: string
  readonly requestedAt: Instant
  readonly graceMs: number
}

/** live.json */
export interface LiveRecord {
  readonly at: Instant
  readonly tail: string
  readonly samples: readonly Sample[]
}

/** ending.json */
export type EndingRecord = Ending
