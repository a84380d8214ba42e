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
  /** The user of its program, which nobody else is; null or absent: that of Holdfast itself, or a shared one. */
  readonly user?: RunnerUser | null
  /** A user that others are too. Not `user`: by that, also an older version ends whatever is of the user. */
  readonly sharedUser?: RunnerUser & { readonly isShared: true }
}

/** The user that a runner's program has besides that of Holdfast. */
export function userIn({ user, sharedUser }: StartRecord): RunnerUser | null {
  return user ?? sharedUser ?? null
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
