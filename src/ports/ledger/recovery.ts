import type { Subject } from '../../domain/recovery/index.ts'

/** The subjects of recovery. */
export interface RecoveryLedger {
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
}

/** A subject that recovery looks at now. */
export type Due = Subject | UnreadableSubject

/** A subject with a row that this version cannot read: written by a newer one, or by hand. */
interface UnreadableSubject {
  readonly kind: 'unreadable'
  readonly of: { readonly kind: Subject['kind']; readonly id: number }
  readonly error: unknown
}
