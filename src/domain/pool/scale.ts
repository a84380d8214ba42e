/** The supply and demand of a pool, counted from state (I9): dead runners never count. */
export interface PoolNeed {
  /** Jobs that wait, also those that nobody may be given yet. */
  readonly queued: number
  readonly dispatchable: number
  /** Booting or polling: ready for a job, or soon. */
  readonly idle: number
  /** Claimed, busy, or fenced and not gone yet. */
  readonly occupied: number
  /** Idle runners that are kept ready. */
  readonly warm: number
  readonly maxRunners: number
  /** How many more the host can hold; null where nobody knows a bound. */
  readonly roomMore: number | null
}

export interface ScalePlan {
  /** Runners that the pool ought to have, as far as its bounds allow. */
  readonly desired: number
  readonly start: number
  readonly surplus: number
}

/**
 * Enough idle runners for the jobs that wait and the warm ones, within the pool's bound and the host's. Where all
 * that waits is withheld, one runner is there for it: a pool that looks idle would never find out that it may go on.
 */
export function planScale(need: PoolNeed): ScalePlan {
  const { idle, occupied } = need
  const allowed = Math.max(0, need.maxRunners - occupied)
  const wanted = Math.min(allowed, Math.max(need.dispatchable + need.warm, need.queued > 0 ? 1 : 0))
  const start = Math.min(Math.max(0, wanted - idle), Math.max(0, need.roomMore ?? Number.POSITIVE_INFINITY))
  return {
    desired: occupied + Math.min(wanted, idle + start),
    start,
    surplus: Math.max(0, idle - wanted),
  }
}
