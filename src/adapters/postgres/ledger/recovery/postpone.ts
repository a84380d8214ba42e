import type { Subject } from '../../../../domain/recovery/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { milliseconds } from '../rows/index.ts'

/** Looks at a subject again after a while, if it is still open. */
export async function postpone(
  db: Db,
  { kind, id }: { readonly kind: Subject['kind']; readonly id: number },
  delayMs: number,
): Promise<void> {
  const delay = milliseconds(delayMs)
  switch (kind) {
    case 'attempt':
      await db.query(sql`
        update attempts set check_at = now() + ${delay}::interval where id = ${id} and ended_at is null`)
      break
    case 'job':
      await db.query(sql`
        update jobs set check_at = now() + ${delay}::interval
         where id = ${id} and ended_at is null
           and not exists (select from attempts where attempts.job_id = jobs.id and attempts.ended_at is null)`)
      break
    case 'runner':
      await db.query(sql`
        update runners set check_at = now() + ${delay}::interval where id = ${id} and ended_at is null`)
      break
  }
}
