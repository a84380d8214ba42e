import type { BoundedAct, RecoveryBounds, Subject } from '../../domain/recovery/index.ts'
import type { BoundedRecord, Due, NewDecision } from './rows.ts'

/** Of the ledger: what recovery looks at, and what it decided. */
export interface LedgerOfRecovery {
  /**
   * Subjects whose time has come, the longest overdue first; of runners those of this host, and
   * those of hosts that are lost (`hostLostSince`), unless this host itself was away lately. Of an
   * installation that is not served only claims that led to no delivery. A row that this version cannot read is given
   * as such, and keeps nobody from the others.
   */
  due(limit: number, host: string): Promise<readonly Due[]>
  /** One subject as it is now; null where there is nothing open to look at. */
  subject(of: { readonly kind: Subject['kind']; readonly id: number }): Promise<Subject | null>
  /** Looks at a subject again after a while. */
  postpone(of: { readonly kind: Subject['kind']; readonly id: number }, delayMs: number): Promise<void>
  recordDecision(decision: NewDecision): Promise<number>
  /**
   * The same of a decision that does what has a bound, unless it would pass the bound; nothing is written then. Counting
   * and writing are one step for all processes, and what was counted stays counted when its job is archived.
   */
  recordBounded(decision: NewDecision, act: BoundedAct, bounds: RecoveryBounds): Promise<BoundedRecord>
  /** What was decided was refused before anything was done: it does not count against a bound. */
  releaseAct(decisionId: number): Promise<void>
  recordOutcome(decisionId: number, outcome: string): Promise<void>
}
