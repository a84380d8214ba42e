import { reasonOf } from '../../../../domain/reason.ts'
import type { SetAside } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { batchOrEach, isOfLedger } from '../batch-or-each.ts'
import { milliseconds, text } from '../rows/index.ts'

export interface Moving {
  readonly kind: SetAside['kind']
  /** The ids of rows to be moved, the oldest first. */
  readonly find: (db: Db, age: string, limit: number) => Promise<number[]>
  /** Moves those of them for which that still holds; gives how many. */
  readonly move: (tx: Db, age: string, ids: readonly number[]) => Promise<number>
}

/** Doubles with every try, up to a day: what is set aside needs a person or another version. */
const retryMsFirst = 10 * 60_000
const retryMsMax = 86_400_000
const reasonLengthMax = 500

/**
 * Moves a batch to the archive in one transaction. Where that fails, each is moved by itself, and what cannot be moved
 * is set aside with the reason, so that nothing else waits for it.
 */
export async function moveOrSetAside(
  database: Database,
  { kind, find, move: moveRows }: Moving,
  age: string,
  limit: number,
): Promise<number> {
  const ids = await find(database, age, limit)
  if (ids.length === 0) return 0
  let moved = 0
  const move = async (some: readonly number[]) => {
    moved += await inTransaction(some)
  }
  const outcomes = batchOrEach(ids, {
    async batch(some) {
      await move(some)
      return new Map(some.map((id) => [id, undefined]))
    },
    one: (id) => move([id]),
  })
  for await (const outcome of outcomes) {
    if (!('error' in outcome)) continue
    if (isOfLedger(outcome.error)) throw outcome.error
    await setAside(database, kind, outcome.item, outcome.error)
  }
  return moved

  function inTransaction(some: readonly number[]): Promise<number> {
    return database.transaction(async (tx) => {
      const count = await moveRows(tx, age, some)
      await tx.query(sql`delete from set_aside where kind = ${kind} and id = any (${some}::bigint[])`)
      return count
    })
  }
}

/** Rows that archiving could not move, the longest waiting first. */
export async function listSetAside(db: Db): Promise<readonly SetAside[]> {
  const { rows } = await db.query<SetAside>(sql`
    select kind, id, reason, tries, since from set_aside order by since, kind, id limit 100`)
  return rows
}

async function setAside(db: Db, kind: SetAside['kind'], id: number, error: unknown): Promise<void> {
  const reason = text(reasonOf(error)).slice(0, reasonLengthMax)
  await db.query(sql`
    insert into set_aside (kind, id, reason, retry_at)
    values (${kind}, ${id}, ${reason}, now() + ${milliseconds(retryMsFirst)}::interval)
    on conflict (kind, id) do update
       set reason = excluded.reason,
           tries = set_aside.tries + 1,
           retry_at = now() + least(${milliseconds(retryMsFirst)}::interval * 2 ^ least(set_aside.tries, 20),
                                    ${milliseconds(retryMsMax)}::interval)`)
}
