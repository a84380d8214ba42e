import { isLive } from '../../../../domain/runner/index.ts'
import { type Database, sql } from '../../connection/index.ts'
import { carryOut, lockRunners } from '../carry-out/index.ts'
import { byDispatch } from '../cause.ts'

/** `booting → polling`. Only the first poll is a transition; the others leave their time, and no timeline row. */
export async function polled(database: Database, runnerId: number): Promise<'polling' | 'leave'> {
  const { rowCount } = await database.query(sql`
    update runners
       set polled_at = now()
     where id = ${runnerId} and state in ('polling', 'claimed', 'busy')`)
  return rowCount === 1 ? 'polling' : firstPoll(database, runnerId)
}

function firstPoll(database: Database, runnerId: number): Promise<'polling' | 'leave'> {
  return database.transaction(async (tx) => {
    const runners = await lockRunners(tx, [runnerId])
    const runner = runners.get(runnerId)
    if (runner === undefined || !isLive(runner) || runner.state === 'fenced') return 'leave'
    if (runner.state !== 'booting') return 'polling'
    const { rows } = await tx.query<{ now: number }>(sql`select now()`)
    const locked = { rows: { jobs: new Map(), attempts: new Map(), runners }, now: rows[0]?.now as number }
    await carryOut(tx, locked, [{ on: 'runner', id: runnerId, event: { kind: 'polled' } }], byDispatch)
    return 'polling'
  })
}
