import type { Instant } from '../time.ts'

export const runnerStates = ['booting', 'polling', 'claimed', 'busy', 'fenced', 'ended', 'removed'] as const
export type RunnerState = (typeof runnerStates)[number]

/** Runners that exist as far as the ledger knows; only these count as capacity (I9). */
export const liveRunnerStates = ['booting', 'polling', 'claimed', 'busy', 'fenced'] as const

/** A runner whose job is over may take this long to tidy up and end by itself. */
export const goodbyeMs = 30_000

export interface Runner {
  readonly id: number
  /** `<pool>-<8 hex>`: the name of its process or pod too. */
  readonly name: string
  readonly pool: string
  /** Which host runs it: only that one can say whether it lives. */
  readonly host: string
  readonly state: RunnerState
  /** SHA-256 of what proves that it is this runner, in hex; null until a pod first proved it. */
  readonly identityHash: string | null
  /** The UID of its pod, which distinguishes it from another pod of the same name; null where none is known. */
  readonly podUid: string | null
  readonly createdAt: Instant
  readonly polledAt: Instant | null
  /** Whether it was ever given an attempt; null: not known, as of a row that an older version wrote. */
  readonly everClaimed: boolean | null
  readonly fencedAt: Instant | null
  readonly endedAt: Instant | null
  /** Why it was fenced or ended, in text for people. */
  readonly reason: string | null
  readonly evidenceId: number | null
  readonly checkAt: Instant
}

export function isLive(runner: Pick<Runner, 'state'>): boolean {
  return (liveRunnerStates as readonly string[]).includes(runner.state)
}
