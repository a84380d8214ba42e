import type { Digest } from '../../../../domain/canonical-json.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { chained, headOf, problemsOf, type TrailRow } from '../../../../domain/trail/index.ts'
import type { Trail } from '../../../../ports/trail.ts'
import type { Database } from '../../connection/index.ts'
import { insertRow } from './insert-row.ts'
import { listRows } from './list-rows.ts'
import { lockHead } from './lock-head.ts'
import { moveHead } from './move-head.ts'
import { readHead } from './read-head.ts'

export interface TrailOptions {
  readonly database: Database
  readonly digest: Digest
  readonly place: string
  /** The token of the run that appends; null: nobody holds a lock, and the head's row alone keeps the order. */
  readonly run: () => number | null
}

/**
 * The trail in the ledger. Row and head change in one transaction under the head's lock. The chain is checked before each
 * append; rows that were found whole are not read again by the same object, which lives as long as a run.
 */
export function createLedgerTrail({ database, digest, place, run }: TrailOptions): Trail {
  let whole: readonly TrailRow[] = []
  return {
    rows: async () => [...whole, ...(await listRows(database, whole.length, place))],
    head: () => readHead(database),
    async append(entry) {
      const own = run()
      const known = await database.transaction(async (tx) => {
        const before = whole
        const head = await lockHead(tx)
        if (own !== null && head.run !== own) throw new HoldfastError('E_REMEDY_FENCED', { place })
        const more = await listRows(tx, before.length, place)
        const [problem] = problemsOf(more, head, digest, headOf(before))
        if (problem !== undefined) throw new HoldfastError('E_TRAIL_BROKEN', { place, problem })
        const row = chained(entry, head, digest)
        await insertRow(tx, row)
        await moveHead(tx, head, row)
        return [...before, ...more, row]
      })
      if (known.length > whole.length) whole = known
      return known.at(-1) as TrailRow
    },
  }
}
