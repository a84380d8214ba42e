import type { Pool } from './pool.ts'

/** What a pool does where its declaration is silent. */
export const poolDefaults = {
  warmWindows: [],
  /** The next push often comes soon. */
  idleTimeoutMs: 60_000,
  provisioning: {
    maxStartingPerNode: 10,
    /** A large image over a slow network takes minutes. */
    startDeadlineMs: 5 * 60_000,
    /** A new node takes minutes to come. */
    unschedulableDeadlineMs: 10 * 60_000,
  },
  rollout: { maxConcurrentPercent: 25 },
} as const satisfies Partial<Pool>
