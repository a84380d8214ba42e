/** What a pool has and needs, counted from state (I9): dead runners never count. */
export interface PoolNeed {
  readonly dispatchable: number
  /** Booting or polling: ready for a job, or soon. */
  readonly idle: number
  /** Claimed, busy, or fenced and not gone yet. */
  readonly occupied: number
  readonly minWarm: number
  readonly maxRunners: number
}

export interface ScalePlan {
  readonly start: number
  readonly surplus: number
}

/** Enough idle runners for the jobs that wait and the warm ones, within the pool's bound. */
export function planScale(need: PoolNeed): ScalePlan {
  const room = Math.max(0, need.maxRunners - need.occupied)
  const wanted = Math.min(room, need.dispatchable + need.minWarm)
  return { start: Math.max(0, wanted - need.idle), surplus: Math.max(0, need.idle - wanted) }
}
