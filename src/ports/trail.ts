import type { TrailEntry, TrailHead, TrailRow } from '../domain/trail/index.ts'

/** The steps of all remedies, chained by hash. */
export interface Trail {
  /** Resolves once the row survives a power cut. Throws E_TRAIL_BROKEN, and writes nothing, where the chain does not hold. */
  append(entry: TrailEntry): Promise<TrailRow>
  /** All rows, oldest first. */
  rows(): Promise<readonly TrailRow[]>
  /** As the second place has it. */
  head(): Promise<TrailHead>
}
