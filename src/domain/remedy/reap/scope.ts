import type { ObjectRef } from '../../snapshot/index.ts'

/** Why a runner may go: it outlives the demand, or its set has a newer generation. */
export type ReapArm = 'idle-leak' | 'stale-generation'

/** The part of a fleet that `reap` looks at, and how. */
export interface ReapScope {
  readonly sets: readonly ObjectRef[]
  /** Also runners of generations that are not the newest. */
  readonly isStaleGeneration: boolean
  readonly minAgeMs: number
}
