import { runnerMoves } from '../../../../domain/runner/index.ts'
import type { Cause } from '../../../../ports/ledger.ts'
import type { Database } from '../../connection/index.ts'
import { carryOut, notify } from '../carry-out/index.ts'
import { lockRunner } from './lock.ts'

/** No job is given to this runner any more; a poll that waits is woken, and told to leave. */
export function fence(
  database: Database,
  runnerId: number,
  reason: string,
  cause: Cause,
): Promise<'fenced' | 'refused'> {
  return database.transaction(async (tx) => {
    const locked = await lockRunner(tx, runnerId)
    if (locked === null || locked.attempt !== null) return 'refused'
    const { runner } = locked
    if (runner.state === 'fenced') return 'fenced'
    if (!('fenced' in runnerMoves[runner.state])) return 'refused'
    await carryOut(tx, locked, [{ on: 'runner', id: runnerId, event: { kind: 'fenced', reason } }], cause)
    await notify(tx, 'fenced', `${runnerId}`)
    return 'fenced'
  })
}
