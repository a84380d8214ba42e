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
  /** Decisions about jobs and runners that are not archived, newest first. */
  decisions(filter: DecisionFilter): Promise<ListedDecisions>
}

export interface DecisionFilter {
  readonly withinMs: number
  readonly jobId?: number
  /** By the name that lists of runners show. */
  readonly runner?: string
  readonly rule?: string
  readonly pool?: string
  readonly limit: number
}

/** `unreadable` are the ids of rows that cannot be read: they hide no other row. */
export interface ListedDecisions {
  readonly rows: readonly ListedDecision[]
  readonly unreadable: readonly number[]
}

/** A decision with the names of its subject; null where it is about none, or where that is not known. */
export interface ListedDecision extends DecisionRow {
  readonly repository: string | null
  readonly runner: string | null
  readonly pool: string | null
}

/** Whether a decision was stored, or which bound it would have passed. */
export type BoundedRecord =
  | { readonly kind: 'recorded'; readonly id: number }
  | { readonly kind: 'over'; readonly over: BoundReached }

export type NewDecision = Omit<DecisionRow, 'id' | 'at' | 'outcome'>
