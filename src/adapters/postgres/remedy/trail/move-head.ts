import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { TrailHead, TrailRow } from '../../../../domain/trail/index.ts'
import { type Db, sql } from '../../connection/index.ts'

/** Moves the head to its next row, by compare-and-set. */
export async function moveHead(tx: Db, from: TrailHead, { number, hash }: TrailRow): Promise<void> {
  const { rowCount } = await tx.query(sql`
    update remedy_trail_head set count = ${number}, hash = ${hash}
     where count = ${from.count} and hash = ${from.hash}`)
  if (rowCount !== 1)
    throw new HoldfastError('E_BUG', { what: 'the head of the trail moved while its row was locked' })
}
