import type { Change } from '../../../../domain/binding/index.ts'
import { runnerMoves } from '../../../../domain/runner/index.ts'
import type { Cause, Ledger } from '../../../../ports/ledger.ts'
import { type Database, type Db, prepared, sql } from '../../connection/index.ts'
import { carryOut, channels } from '../carry-out/index.ts'
import { isSameCause } from '../cause.ts'
import { together } from '../together.ts'
import { type LockedRunner, lockWithAttempts } from './lock.ts'

interface Order {
  readonly runnerId: number
  readonly reason: string
  readonly cause: Cause
}

type Outcome = 'fenced' | 'refused'

/**
 * No job is given to this runner any more; a poll that waits is woken, and told to leave. Those that are to go at the
 * same time share a transaction: of a thousand that nobody needs each would cost a dozen round trips.
 */
export function createFencing(database: Database): Ledger['fence'] {
  const fence = together<Order, Outcome>({
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
      ? [{ on: 'runner', id: runnerId, event: { kind: 'fenced', reason } }]
      : [],
  )
  const [first] = orders
  if (changes.length > 0 && first !== undefined) {
    await carryOut(tx, locked, changes, first.cause)
    await tell(
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

async function tell(tx: Db, runners: readonly string[]): Promise<void> {
  await tx.query(
    prepared(
      'tell-fenced',
      sql`select pg_notify(${channels.fenced}, runner) from unnest(${runners}::text[]) as fenced (runner)`,
    ),
  )
}
