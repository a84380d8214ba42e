import type { Handle } from '../../../../domain/attempt/index.ts'
import type { Db } from '../../connection/index.ts'
import type { Locked } from './apply-plan.ts'
import { type LockedAttempt, lockOpenAttempts } from './lock-attempts.ts'

/** Locks the open attempt that a handle names, and what it binds; null: there is none (any more). */
export async function lockOpenAttempt(tx: Db, handle: Handle): Promise<(LockedAttempt & Locked) | null> {
  const {
    each: [bound],
    ...locked
  } = await lockOpenAttempts(tx, [handle])
  return bound == null ? null : { ...bound, ...locked }
}
