import type { Job } from '../../../../domain/job/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { milliseconds, text } from '../rows/index.ts'

/** The forge refuses runners to a repository or an account: its jobs wait. A later failure never shortens it. */
export async function hold(
  tx: Db,
  kind: 'repository' | 'account',
  job: Pick<Job, 'repository' | 'owner'>,
  reason: string,
  delayMs: number,
): Promise<void> {
  const key = kind === 'repository' ? job.repository : job.owner
  await tx.query(sql`
    insert into holds (kind, key, reason, until)
    values (${kind}, ${key}, ${text(reason)}, now() + ${milliseconds(delayMs)}::interval)
    on conflict (kind, key) do update
       set reason = excluded.reason,
           failures = holds.failures + 1,
           until = greatest(holds.until, excluded.until)`)
}
