import type { Attempt } from '../../../../domain/attempt/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { type Locked, lockAttempts, lockRunners, RowsMoved } from '../carry-out/index.ts'

/** A runner, locked, and its open attempt if it has one, locked as well. */
export interface LockedRunner extends Locked {
  readonly runner: Runner
  readonly attempt: Attempt | null
}

/** Locks a runner with its open attempt; null: there is no such runner. */
export async function lockRunner(tx: Db, runnerId: number): Promise<LockedRunner | null> {
  const attemptIds = (await openAttemptOf(tx, runnerId)).ids
  const attempts = await lockAttempts(tx, attemptIds)
  const runners = await lockRunners(tx, [runnerId])
  const runner = runners.get(runnerId)
  if (runner === undefined) return null
  // While the runner is locked nobody opens or ends an attempt of it.
  const { ids, now } = await openAttemptOf(tx, runnerId)
  if (ids.join() !== attemptIds.join()) throw new RowsMoved(`runner ${runnerId}`)
  return {
    runner,
    attempt: attempts.get(ids[0] ?? 0) ?? null,
    rows: { jobs: new Map(), attempts, runners },
    now,
  }
}

async function openAttemptOf(tx: Db, runnerId: number): Promise<{ ids: number[]; now: number }> {
  const { rows } = await tx.query<{ ids: number[]; now: number }>(sql`
    select array(select id from attempts where runner_id = ${runnerId} and ended_at is null) as ids, now() as now`)
  return rows[0] as { ids: number[]; now: number }
}
