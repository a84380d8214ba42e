import type { Pool } from './pool.ts'

/** The defaults of a pool. */
export const poolDefaults = {
  /** GitHub advises against self-hosted runners for public repositories, where anybody can propose code. */
  publicRepositories: 'refuse',
  /** Forks of a private repository come from people with access, and the forge runs their code only where that is enabled. */
  forks: 'privateOnly',
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
