import type { Handle } from '../../../../domain/attempt/index.ts'
import type { Db } from '../../connection/index.ts'
import type { Locked } from './carry-out.ts'
import { type Bound, lockBound } from './lock-bound.ts'

/** Locks the open attempt that a handle names, and what it binds; null: there is none (any more). */
export async function lockAttempt(tx: Db, handle: Handle): Promise<(Bound & Locked) | null> {
  const {
    each: [bound],
    ...locked
  } = await lockBound(tx, [handle])
  return bound == null ? null : { ...bound, ...locked }
}
