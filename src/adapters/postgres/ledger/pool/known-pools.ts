import type { Pool } from '../../../../domain/pool/index.ts'

/** Pools as this process read them last. A guess to save a round trip: what relies on it is checked in SQL. */
export interface KnownPools {
  all: readonly Pool[]
  /** Whether this process put pools. */
  arePut: boolean
}
