import type { PlanStore } from './plan-store.ts'
import type { Trail } from './trail.ts'

/** Where remedies keep their plans and their trail: the ledger, or files where there is none. */
export interface RemedyStore extends AsyncDisposable {
  readonly kind: 'files' | 'ledger'
  /** For people: a file, or the ledger with host and database. */
  readonly place: string
  readonly trail: Trail
  readonly plans: PlanStore
  /**
   * One run at a time, until it is disposed of; the trail is appended to by the run that has it. Throws E_REMEDY_BUSY where
   * another run has it.
   */
  lock(): Promise<AsyncDisposable>
}
