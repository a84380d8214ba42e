import { isLive, type Runner } from '../../../../domain/runner/index.ts'
import type { Ledger } from '../../../../ports/ledger.ts'
import { type Database, prepared, sql } from '../../connection/index.ts'
import { carryOut, lockRunners } from '../carry-out/index.ts'
import { byDispatch } from '../cause.ts'
import { together } from '../together.ts'

type Polled = 'polling' | 'leave'

/** `booting → polling`. Only the first poll is a transition; the others leave their time, and no timeline row. */
export function createPolling(database: Database): Ledger['polled'] {
  return together<number, Polled>({
    conflict: (a, b) => a === b,
    async run(ids) {
      const known = await touch(database, ids)
      const others = ids.filter((id) => !known.has(id))
      const first = others.length === 0 ? new Map<number, Polled>() : await firstPolls(database, others)
      return ids.map((id) => first.get(id) ?? 'polling')
    },
  })
}

async function touch(database: Database, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await database.query<{ id: number }>(
    prepared(
      'touch-runners',
      sql`
    update runners
       set polled_at = now()
     where id = any (array(select id from runners
                            where id = any (${ids}::bigint[]) and state in ('polling', 'claimed', 'busy')
                            order by id
                              for no key update))
    returning id`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}

function firstPolls(database: Database, ids: readonly number[]): Promise<Map<number, Polled>> {
  return database.transaction(async (tx) => {
    const runners = await lockRunners(tx, ids)
    const booting = [...runners.values()].filter(({ state }) => state === 'booting')
    if (booting.length > 0) {
      const { rows } = await tx.query<{ now: number }>(sql`select now()`)
      const locked = { rows: { jobs: new Map(), attempts: new Map(), runners }, now: rows[0]?.now as number }
      const changes = booting.map(({ id }) => ({ on: 'runner', id, event: { kind: 'polled' } }) as const)
      await carryOut(tx, locked, changes, byDispatch)
    }
    return new Map(ids.map((id) => [id, mayStay(runners.get(id)) ? 'polling' : 'leave']))
  })
}

function mayStay(runner: Runner | undefined): boolean {
  return runner !== undefined && isLive(runner) && runner.state !== 'fenced'
}
