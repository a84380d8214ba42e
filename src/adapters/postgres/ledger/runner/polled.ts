import type { RunnerLedger } from '../../../../ports/ledger.ts'
import { type Database, prepared, sql } from '../../connection/index.ts'
import { byDispatch } from '../cause.ts'
import { groupCommitAll } from '../group-commit.ts'

const knownStates = sql`('booting', 'polling', 'claimed', 'busy', 'fenced', 'ended', 'removed')`

/** `booting → polling`. Only the first poll is a transition; the others leave their time, and no timeline row. */
export function createPolling(database: Database): RunnerLedger['polled'] {
  return groupCommitAll<number, 'polling' | 'leave'>({
    conflict: (a, b) => a === b,
    async run(ids) {
      const staying = await touch(database, ids)
      return ids.map((id) => (staying.has(id) ? 'polling' : 'leave'))
    },
  })
}

/**
 * Who is neither fenced nor gone. Rows are locked in the order of their ids, as by everybody. One in a state that only a
 * newer version knows may stay, and nothing of it is written.
 */
async function touch(database: Database, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await database.query<{ id: number }>(
    prepared(
      'touch-runners',
      sql`
    with asking as (
      select id, state from runners
       where id = any (${ids}::bigint[]) and state in ('booting', 'polling', 'claimed', 'busy')
       order by id
         for no key update
    ), touched as (
      update runners
         set polled_at = now(), state = case asking.state when 'booting' then 'polling' else asking.state end
        from asking
       where runners.id = asking.id
    ), logged as (
      insert into timeline (subject, subject_id, kind, source)
      select 'runner', id, 'polled', ${byDispatch.source} from asking where state = 'booting'
    )
    select id from asking
    union all
    select id from runners
     where id = any (${ids}::bigint[]) and state not in ${knownStates}`,
    ),
  )
  return new Set(rows.map(({ id }) => id))
}
