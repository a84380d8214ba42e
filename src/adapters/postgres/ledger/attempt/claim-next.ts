import type { Claim } from '../../../../ports/ledger.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { holdingRunners, milliseconds, ofKnownPriority, type Row } from '../rows/index.ts'
import {
  type Asker,
  claimedColumns,
  groupOfPool,
  openedColumns,
  takenColumns,
  toClaim,
} from './claimed-row.ts'

/**
 * Gives each asking runner that polls the next job of the pool, all in one statement and one round trip; by runner,
 * what it got. A pool with caps gives nothing except under its lock, because only then is what is counted true.
 *
 * The order is that of domain/queue/order.ts. Both scans read their partial index in order and stop at the first
 * rows that nobody else holds; what has ended is in neither. The filter on what is barred is a CASE, because the
 * planner believes that a list of owners matches every row, and would sort the whole queue (10 ms instead of 0.02);
 * so is the one on the installation, whose own index it would prefer to the queue's.
 */
export async function claimNext(
  db: Db,
  pool: string,
  askers: readonly Asker[],
  { underLock, serves }: { readonly underLock: boolean; readonly serves: string | null },
): Promise<Map<number, Claim>> {
  const runnerIds = askers.map(({ runnerId }) => runnerId)
  const { rows } = await db.query<Row>(
    prepared(
      'claim-next',
      sql`
    with given as (
      select ageing,
             array(select lower(key) from holds where kind = 'repository' and until > now())
             || case when cap_per_repository is not null then
                  array(select lower(repository) from ${holdingRunners} as jobs where jobs.pool = pools.name
                         group by lower(repository) having count(*) >= cap_per_repository) end as repositories,
             array(select lower(key) from holds where kind = 'account' and until > now())
             || case when cap_per_owner is not null then
                  array(select lower(owner) from ${holdingRunners} as jobs where jobs.pool = pools.name
                         group by lower(owner) having count(*) >= cap_per_owner) end as owners
        from pools
       where name = ${pool} and (${underLock} or (cap_per_repository is null and cap_per_owner is null))
    ), aged as (
      select id from jobs
       where jobs.pool = ${pool} and state = 'queued' and quarantine is null and ${ofKnownPriority}
         and waiting_since <= now() - (select ageing from given)
         and not_before <= now()
         and case when ${serves}::text is null or installation = ${serves}::text then true else false end
         and case when lower(repository) = any ((select repositories from given)::text[])
                    or lower(owner) = any ((select owners from given)::text[]) then false else true end
       order by waiting_since, id
       limit (select count(*) from unnest(${runnerIds}::bigint[]))
         for no key update skip locked
    ), in_turn as (
      select id from jobs
       where jobs.pool = ${pool} and state = 'queued' and quarantine is null and ${ofKnownPriority}
         and not_before <= now()
         and case when ${serves}::text is null or installation = ${serves}::text then true else false end
         and case when lower(repository) = any ((select repositories from given)::text[])
                    or lower(owner) = any ((select owners from given)::text[]) then false else true end
         and id <> all (array(select id from aged))
         and exists (select from given)
       order by priority, share_tag, id
       limit (select count(*) from unnest(${runnerIds}::bigint[])) - (select count(*) from aged)
         for no key update skip locked
    ), chosen as (
      select id, row_number() over () as place
        from (select id from aged union all select id from in_turn) as candidates
    ), seated as (
      update runners set state = 'claimed', ever_claimed = true
       where id = any (array(select id from runners
                              where id = any (${runnerIds}::bigint[]) and state = 'polling'
                              order by id
                              limit (select count(*) from chosen)
                                for no key update))
      returning id
    ), taken as (
      update jobs set state = 'claimed'
       where id = any (array(select id from chosen where place <= (select count(*) from seated)))
      returning ${takenColumns}
    ), opened as (
      insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at)
      select asked.handle, job.id, job.id, asked.runner_id, asked.name, now() + asked.deadline
        from (select id, row_number() over () as place from taken) as job
        join (select id, row_number() over () as place from seated) as seat using (place)
        join unnest(${runnerIds}::bigint[],
                    ${askers.map(({ handle }) => handle)}::uuid[],
                    ${askers.map(({ forgeRunnerName }) => forgeRunnerName)}::text[],
                    ${askers.map(({ deadlineMs }) => milliseconds(deadlineMs))}::interval[]
             ) as asked (runner_id, handle, name, deadline) on asked.runner_id = seat.id
      returning ${openedColumns}
    ), logged as (
      insert into timeline (subject, subject_id, job_id, kind, source, facts)
      select 'job', job_id, job_id, 'claimed', 'dispatch',
             jsonb_build_object('attempt', id, 'runner', runner_id, 'forgeRunnerName', forge_runner_name)
        from opened
    )
    select ${claimedColumns}, ${groupOfPool(pool)}
      from taken as jobs join opened as attempts on attempts.job_id = jobs.id`,
    ),
  )
  const byRunner = new Map(rows.map((row) => [row.runner_id, row]))
  return new Map(
    askers.flatMap((asker) => {
      const row = byRunner.get(asker.runnerId)
      return row === undefined ? [] : [[asker.runnerId, toClaim(row, pool, asker)] as const]
    }),
  )
}
