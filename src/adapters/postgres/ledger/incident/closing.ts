import { type Sql, sql } from '../../connection/index.ts'
import { channels } from '../plan/index.ts'

/** Parts of a statement's WITH: the open incidents that a condition names are `closed`, their holds `freed`. */
export function closing(which: Sql): Sql {
  return sql`
    closed as (
      update incidents set closed_at = now() where closed_at is null and ${which} returning id
    ), freed as (
      delete from holds where incident_id in (select id from closed) returning id
    )`
}

/** Wakes every pool where a hold was freed: who waited for it may be in any of them. */
export const wakeFreed = sql`
  select pg_notify(${channels.jobs}, name) from pools where removed_at is null and exists (select from freed)`
