import type { Instant } from '../time.ts'

/** How a runner's process ended, as the host that ran it saw it. */
export interface Ending {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly startedAt: Instant | null
  readonly endedAt: Instant
  /** Newest lines of its output, cut at the old end; secrets are masked. */
  readonly tail: string
  /** Times that the kernel's memory limit killed something of this runner; null where it cannot be read. */
  readonly oomKills: number | null
  readonly memoryPeakBytes: number | null
  readonly memoryLimitBytes: number | null
  /** The newest resource samples, oldest first. */
  readonly samples: readonly Sample[]
  /** Who asked it to stop, where that was us. */
  readonly stopRequestedBy: string | null
  /** What could not be read, in words. */
  readonly missing: readonly string[]
}

export interface Sample {
  readonly at: Instant
  readonly memoryBytes: number | null
  readonly cpuMs: number | null
  readonly processes: number | null
}

export const deathClasses = [
  'clean',
  'container-oom',
  'terminated',
  'sigkill-unknown',
  'crash',
  'failed',
  'never-started',
  'vanished',
  'unknown',
] as const
export type DeathClass = (typeof deathClasses)[number]

/** What is sealed about a runner's end before anything of it is removed. */
export interface DeathRecord {
  readonly outcome: 'complete' | 'incomplete'
  readonly class: DeathClass
  readonly confidence: 'proven' | 'likely' | 'unknown'
  readonly because: readonly string[]
  readonly ending: Ending | null
}
