const secondMs = 1_000
const minuteMs = 60 * secondMs

/** Bounds of a managed apply, besides those that its order has. */
export const applyBounds = {
  /** One apply, one change of a fleet: more sets are more applies. */
  setsMax: 20,
  /** Reads and writes again where another writer, or the network, came between. */
  freezeTriesMax: 5,
  /** ARC's listener asks GitHub for 50 s before it takes idle runners down. */
  quietMaxMs: 3 * minuteMs,
  /** A set that stays frozen takes no jobs: an API server that restarts is waited for. */
  restoreMaxMs: 5 * minuteMs,
  proveMaxMs: 3 * minuteMs,
  idleReapsMax: 3,
  retryMs: secondMs,
  lookEveryMs: 2 * secondMs,
  settleEveryMs: 5 * secondMs,
  busyNamesMax: 500,
} as const
