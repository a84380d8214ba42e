import { type Db, sql } from '../../connection/index.ts'
import { milliseconds, text } from '../rows/index.ts'

export interface Held {
  readonly kind: 'repository' | 'account'
  readonly key: string
  readonly reason: string
  /** With its end the hold is over, however long it was to last. */
  readonly incidentId: number | null
}

/** The forge refuses runners to a repository or an account: its jobs wait. A later failure never shortens it. */
export async function hold(
  tx: Db,
  { kind, key, reason, incidentId }: Held,
  durationMs: number,
): Promise<void> {
  await tx.query(sql`
    insert into holds (kind, key, incident_id, reason, until)
    values (${kind}, ${key}, ${incidentId}, ${text(reason)}, now() + ${milliseconds(durationMs)}::interval)
    on conflict (kind, key, incident_id) do update
       set reason = excluded.reason,
           failures = holds.failures + 1,
           until = greatest(holds.until, excluded.until)`)
}
