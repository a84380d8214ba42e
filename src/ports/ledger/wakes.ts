/** Notifications across processes that work may be waiting. */
export interface LedgerWakes {
  /** Calls back when something may be waiting. May be late or missed: every listener resyncs as well. */
  onWake(callback: (wake: Wake) => void): () => void
}

/**
 * What may be waiting: jobs to claim in a pool, a runner that is to leave, deliveries to work on, subjects
 * for recovery. A job that no pool serves wakes the pool with the empty name.
 */
export type Wake =
  | { readonly kind: 'jobs'; readonly pool: string }
  | { readonly kind: 'fenced'; readonly runnerId: number }
  | { readonly kind: 'deliveries' }
  | { readonly kind: 'recovery' }
  | { readonly kind: 'everything' }
