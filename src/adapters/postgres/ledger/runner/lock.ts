import type { Attempt } from '../../../../domain/attempt/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { type Locked, lockAttempts, lockRunners, RowsMoved } from '../plan/index.ts'

/** A runner, locked, and its open attempt if it has one, locked as well. */
export interface LockedRunner {
  readonly runner: Runner
  readonly attempt: Attempt | null
}

export interface LockedRunners extends Locked {
  /** In the order of the ids; null: there is no such runner. */
  readonly each: readonly (LockedRunner | null)[]
}

/** Locks runners with their open attempts. */
export async function lockWithAttempts(tx: Db, runnerIds: readonly number[]): Promise<LockedRunners> {
  const { ids: attemptIds } = await openAttemptsOf(tx, runnerIds)
  const attempts = attemptIds.length === 0 ? new Map<number, Attempt>() : await lockAttempts(tx, attemptIds)
  // While a runner is locked nobody opens or ends an attempt of it.
  const [runners, after] = await Promise.all([lockRunners(tx, runnerIds), openAttemptsOf(tx, runnerIds)])
  if (after.ids.join() !== attemptIds.join()) throw new RowsMoved(`of runners ${runnerIds}: one`)
  const byRunner = new Map([...attempts.values()].map((attempt) => [attempt.runnerId, attempt]))
  const each = runnerIds.map((id) => {
    const runner = runners.get(id)
    return runner === undefined ? null : { runner, attempt: byRunner.get(id) ?? null }
  })
  return { each, rows: { jobs: new Map(), attempts, runners }, now: after.now }
}

async function openAttemptsOf(tx: Db, runnerIds: readonly number[]): Promise<{ ids: number[]; now: number }> {
  const { rows } = await tx.query<{ ids: number[]; now: number }>(
    prepared(
      'open-attempts-of-runners',
      sql`
    select array(select id from attempts where runner_id = any (${runnerIds}::bigint[]) and ended_at is null
                  order by id) as ids,
           now() as now`,
    ),
  )
  return rows[0] as { ids: number[]; now: number }
}
