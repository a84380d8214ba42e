import type { ObjectRef } from '../domain/snapshot/index.ts'
import type { Exactly } from './cluster.ts'

/** `nudged`: it stands. `gone`, `conflict`: not there, or not in this state any more, and nothing was written. `unknown`: the answer was lost. */
export type Nudged = 'nudged' | 'gone' | 'conflict' | 'unknown'

/**
 * Writes that make ARC look again, and change nothing that a person declared. Each is of exactly one state of one object, and
 * throws where the cluster refuses: then nothing was done.
 */
export interface ArcNudges {
  /** Takes the phase of one set back to Pending, in its status alone. */
  resetPhase(target: Exactly & ObjectRef, signal: AbortSignal): Promise<Nudged>
  /** Notes on one runner which state of it was looked at, in an annotation of ours alone: its finalizers are not named. */
  touchRunner(target: Exactly & ObjectRef, signal: AbortSignal): Promise<Nudged>
  /** The state that was last noted on this runner; null: none, or there is no such runner any more. */
  readTouch(place: ObjectRef, signal: AbortSignal): Promise<string | null>
}
