import type { Claim } from '../../../../ports/ledger.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { milliseconds, ofKnownPriority, type Row } from '../rows/index.ts'
import {
  type Asker,
  claimedColumns,
  groupOfPool,
  openedColumns,
  takenColumns,
  toClaim,
} from './claimed-row.ts'

/** `claimNext` for one runner of a pool without caps, which at low load is every claim. */
export async function claimOne(
  db: Db,
  pool: string,
  asker: Asker,
  serves: string | null,
): Promise<Claim | null> {
  const { rows } = await db.query<Row>(
    prepared(
      'claim-one',
      sql`
    with given as (
      select name, ageing,
             array(select lower(key) from holds where kind = 'repository' and until > now()) as repositories,
             array(select lower(key) from holds where kind = 'account' and until > now()) as owners
        from pools
       where name = ${pool} and cap_per_repository is null and cap_per_owner is null
    ), chosen as (
      select coalesce(
           (select id from jobs
             where jobs.pool = given.name and state = 'queued' and quarantine is null and ${ofKnownPriority}
               and waiting_since <= now() - ageing
               and not_before <= now()
               and case when ${serves}::text is null or installation = ${serves}::text then true else false end
               and case when lower(repository) = any (repositories) or lower(owner) = any (owners) then false else true end
             order by waiting_since, id
             limit 1
               for no key update skip locked),
           (select id from jobs
             where jobs.pool = given.name and state = 'queued' and quarantine is null and ${ofKnownPriority}
               and not_before <= now()
               and case when ${serves}::text is null or installation = ${serves}::text then true else false end
               and case when lower(repository) = any (repositories) or lower(owner) = any (owners) then false else true end
             order by priority, share_tag, id
             limit 1
               for no key update skip locked)) as id
        from given
    ), seated as (
      update runners set state = 'claimed', ever_claimed = true
       where id = ${asker.runnerId} and state = 'polling' and (select id from chosen) is not null
      returning id
    ), taken as (
      update jobs set state = 'claimed'
       where id = (select chosen.id from chosen, seated)
      returning ${takenColumns}
    ), opened as (
      insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at)
      select ${asker.handle}, id, id, ${asker.runnerId}, ${asker.forgeRunnerName},
             now() + ${milliseconds(asker.deadlineMs)}::interval
        from taken
      returning ${openedColumns}
    ), logged as (
      insert into timeline (subject, subject_id, job_id, kind, source, facts)
      select 'job', job_id, job_id, 'claimed', 'dispatch',
             jsonb_build_object('attempt', id, 'runner', runner_id, 'forgeRunnerName', forge_runner_name)
        from opened
    )
    select ${claimedColumns}, ${groupOfPool(pool)} from taken as jobs, opened as attempts`,
    ),
  )
  return rows[0] === undefined ? null : toClaim(rows[0], pool, asker)
}
