import { absenceMs } from '../../../../domain/recovery/index.ts'
import type { HostKind } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'
import { milliseconds, text } from '../rows/index.ts'

/** Notes that a host lives. */
export async function heartbeat(
  db: Db,
  { id, kind }: { readonly id: string; readonly kind: HostKind },
): Promise<void> {
  await db.query(sql`
    insert into hosts (id, kind) values (${text(id)}, ${kind})
    on conflict (id) do update
       set kind = excluded.kind,
           beating_since = case when hosts.heartbeat_at < now() - ${milliseconds(absenceMs)}::interval
                                then now() else hosts.beating_since end,
           heartbeat_at = now(),
           ended_at = null`)
}

/** Inserts the hosts of runners that are about to be enrolled; their own heartbeat fills in the rest. */
export async function ensureHosts(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(sql`
    insert into hosts (id, kind) select distinct id, 'unknown' from unnest(${ids.map(text)}::text[]) as given (id)
    on conflict do nothing`)
}
