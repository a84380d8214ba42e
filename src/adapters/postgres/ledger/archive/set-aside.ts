import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { SetAside } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { milliseconds, text } from '../rows/index.ts'

export interface Moving {
  readonly kind: SetAside['kind']
  /** What is to be moved, the oldest first. */
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
  { kind, find, move }: Moving,
  age: string,
  limit: number,
): Promise<number> {
  const ids = await find(database, age, limit)
  if (ids.length === 0) return 0
  try {
    return await inTransaction(ids)
  } catch (error) {
    if (isAboutAll(error)) throw error
  }
  let moved = 0
  for (const id of ids) {
    try {
      moved += await inTransaction([id])
    } catch (error) {
      if (isAboutAll(error)) throw error
      await setAside(database, kind, id, error)
    }
  }
  return moved

  function inTransaction(some: readonly number[]): Promise<number> {
    return database.transaction(async (tx) => {
      const count = await move(tx, age, some)
      await tx.query(sql`delete from set_aside where kind = ${kind} and id = any (${some}::bigint[])`)
      return count
    })
  }
}

/** What archiving could not move, the longest waiting first. */
export async function listSetAside(db: Db): Promise<readonly SetAside[]> {
  const { rows } = await db.query<SetAside>(sql`
    select kind, id, reason, tries, since from set_aside order by since, kind, id limit 100`)
  return rows
}

/** The server is gone, or busy: that says nothing about the one that was to be moved. */
function isAboutAll(error: unknown): boolean {
  return error instanceof HoldfastError && error.entry.retryable
}

async function setAside(db: Db, kind: SetAside['kind'], id: number, error: unknown): Promise<void> {
  const reason = text(error instanceof Error ? error.message : String(error)).slice(0, reasonLengthMax)
  await db.query(sql`
    insert into set_aside (kind, id, reason, retry_at)
    values (${kind}, ${id}, ${reason}, now() + ${milliseconds(retryMsFirst)}::interval)
    on conflict (kind, id) do update
       set reason = excluded.reason,
           tries = set_aside.tries + 1,
           retry_at = now() + least(${milliseconds(retryMsFirst)}::interval * 2 ^ least(set_aside.tries, 20),
                                    ${milliseconds(retryMsMax)}::interval)`)
}
