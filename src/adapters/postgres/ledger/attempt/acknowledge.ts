import type { Handle } from '../../../../domain/attempt/index.ts'
import type { AttemptLedger, Fenced } from '../../../../ports/ledger.ts'
import { type Database, prepared, sql } from '../../connection/index.ts'
import { byDispatch } from '../cause.ts'
import { groupCommitAll } from '../group-commit.ts'
import { isUuid } from '../plan/index.ts'

/** The poller has its JIT. A repeated acknowledgement is the same one, and a late one is as good. */
export function createAcknowledging(database: Database): AttemptLedger['acknowledge'] {
  return groupCommitAll<Handle, Fenced>({
    conflict: (a, b) => a === b,
    async run(handles) {
      const held = await acknowledgeAll(database, handles)
      return handles.map((handle) => ({ kind: held.has(handle.toLowerCase()) ? 'ok' : 'lost' }))
    },
  })
}

/** `delivered → acknowledged`, in one statement: no other row changes with it. Gives those that were delivered. */
async function acknowledgeAll(database: Database, handles: readonly Handle[]): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ handle: string }>(
    prepared(
      'acknowledge',
      sql`
    with held as (
      select id, handle, state, job_id from attempts
       where handle = any (${handles.filter(isUuid)}::uuid[]) and ended_at is null and delivered_at is not null
       order by id
         for no key update
    ), moved as (
      update attempts set state = 'acknowledged', acknowledged_at = greatest(now(), delivered_at)
       where id = any (array(select id from held where state = 'delivered'))
    ), logged as (
      insert into timeline (subject, subject_id, job_id, kind, source)
      select 'attempt', id, job_id, 'acknowledged', ${byDispatch.source} from held where state = 'delivered'
    )
    select handle from held`,
    ),
  )
  return new Set(rows.map(({ handle }) => handle))
}
