import type { Change } from '../../../../domain/job-event/index.ts'
import { runnerMoves } from '../../../../domain/runner/index.ts'
import type { Cause, RunnerLedger } from '../../../../ports/ledger.ts'
import { type Database, type Db, prepared, sql } from '../../connection/index.ts'
import { isSameCause } from '../cause.ts'
import { groupCommitAll } from '../group-commit.ts'
import { applyPlan, channels } from '../plan/index.ts'
import { type LockedRunner, lockWithAttempts } from './lock.ts'

interface Order {
  readonly runnerId: number
  readonly reason: string
  readonly cause: Cause
}

type Outcome = 'fenced' | 'refused'

/**
 * Gives no further job to a runner; its waiting poll is woken and answered with leave. Runners that are fenced at the same
 * time share a transaction: alone, each of a thousand idle ones would cost a dozen round trips.
 */
export function createFencing(database: Database): RunnerLedger['fence'] {
  const fence = groupCommitAll<Order, Outcome>({
    conflict: (a, b) => a.runnerId === b.runnerId || !isSameCause(a.cause, b.cause),
    run: (orders) => database.transaction((tx) => fenceAll(tx, orders)),
  })
  return (runnerId, reason, cause) => fence({ runnerId, reason, cause })
}

async function fenceAll(tx: Db, orders: readonly Order[]): Promise<Outcome[]> {
  const locked = await lockWithAttempts(
    tx,
    orders.map(({ runnerId }) => runnerId),
  )
  const changes = orders.flatMap(({ runnerId, reason }, place): Change[] =>
    judge(locked.each[place] ?? null) === 'fence'
      ? [{ on: 'runner', id: runnerId, transition: { kind: 'fenced', reason } }]
      : [],
  )
  const [first] = orders
  if (changes.length > 0 && first !== undefined) {
    await applyPlan(tx, locked, changes, first.cause)
    await notifyFenced(
      tx,
      changes.map((change) => (change.on === 'runner' ? `${change.id}` : '')),
    )
  }
  return locked.each.map((one) => (judge(one) === 'refuse' ? 'refused' : 'fenced'))
}

function judge(one: LockedRunner | null): 'fence' | 'is fenced' | 'refuse' {
  if (one === null || one.attempt !== null) return 'refuse'
  if (one.runner.state === 'fenced') return 'is fenced'
  return 'fenced' in runnerMoves[one.runner.state] ? 'fence' : 'refuse'
}

async function notifyFenced(tx: Db, runners: readonly string[]): Promise<void> {
  await tx.query(
    prepared(
      'notify-fenced',
      sql`select pg_notify(${channels.fenced}, runner) from unnest(${runners}::text[]) as fenced (runner)`,
    ),
  )
}
