import type { BoundedAct, BoundReached, RecoveryBounds } from '../../domain/recovery/index.ts'
import type { DecisionRow } from './files.ts'

/** Decisions of recovery, within its bounds, and their outcomes. */
export interface DecisionLedger {
  recordDecision(decision: NewDecision): Promise<number>
  /**
   * The same of a decision that does what has a bound, unless it would pass the bound; nothing is written then. Counting
   * and writing are one step for all processes, and what was counted stays counted when its job is archived.
   */
  recordBounded(decision: NewDecision, act: BoundedAct, bounds: RecoveryBounds): Promise<BoundedRecord>
  /** The act was refused before it had an effect: it does not count against a bound. */
  releaseAct(decisionId: number): Promise<void>
  recordOutcome(decisionId: number, outcome: string): Promise<void>
}

/** Whether a decision was stored, or which bound it would have passed. */
export type BoundedRecord =
  | { readonly kind: 'recorded'; readonly id: number }
  | { readonly kind: 'over'; readonly over: BoundReached }

export type NewDecision = Omit<DecisionRow, 'id' | 'at' | 'outcome'>
