/** The cause of a change, kept in the timeline. */
export interface Cause {
  readonly source: 'webhook' | 'audit' | 'dispatch' | 'recovery' | 'lifecycle' | 'scale' | 'operator'
  readonly rule?: string
}

/**
 * In whose name something is written that only one process may write. The ledger keeps the greatest token of each
 * lease, and refuses a smaller one: who led once, slept, and wakes up changes nothing.
 */
export interface Leader {
  readonly lease: string
  /** A decimal number; every later term has a greater one (`Term.token`). */
  readonly token: string
}
