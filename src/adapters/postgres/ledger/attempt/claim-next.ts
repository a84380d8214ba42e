import { runnerNameLengthMax } from '../../../../domain/attempt/index.ts'
import type { ClaimResult } from '../../../../ports/ledger.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { attemptColumns, inService, jobColumns, type Row, toAttempt, toJob } from '../rows/index.ts'
import type { Asker } from './claim.ts'

/** What `mintName` appends to a runner's name: a hyphen and 8 characters of the handle. */
const mintSuffixLength = 9

/**
 * Gives each asking runner the next job of the pool, all in one statement and one round trip. Null: the pool has
 * caps, which hold only under the pool's lock (`underLock`), so nothing was done.
 *
 * The order is that of domain/queue/order.ts. Both candidates' scans read their partial index in order and stop at
 * the first rows that nobody else holds; what has ended is in neither.
 */
export async function claimNext(
  db: Db,
  pool: string,
  askers: readonly Asker[],
  { underLock }: { readonly underLock: boolean },
): Promise<Map<number, ClaimResult> | null> {
  const { rows } = await db.query<Row>(
    prepared(
      'claim-next',
      sql`
    with pool as (
      select ageing, cap_per_repository, cap_per_owner
        from pools
       where name = ${pool} and (${underLock} or (cap_per_repository is null and cap_per_owner is null))
    ), asking as (
      select id, name, state from runners
       where id = any (${askers.map(({ runnerId }) => runnerId)}::bigint[])
       order by id
         for no key update
    ), seats as (
      select asking.id, asking.name, asked.handle, asked.deadline, row_number() over () as place
        from asking
        join unnest(${askers.map(({ runnerId }) => runnerId)}::bigint[],
                    ${askers.map(({ handle }) => handle)}::uuid[],
                    ${askers.map(({ deadlineMs }) => `${deadlineMs} milliseconds`)}::interval[]
             ) as asked (runner_id, handle, deadline) on asked.runner_id = asking.id
       where asking.state = 'polling'
    ), barred as (
      select array(select key from holds where kind = 'repository' and until > now())
             || case when cap_per_repository is not null then
                  array(select repository from jobs where jobs.pool = ${pool} and state in ${inService}
                         group by repository having count(*) >= cap_per_repository) end as repositories,
             array(select key from holds where kind = 'account' and until > now())
             || case when cap_per_owner is not null then
                  array(select owner from jobs where jobs.pool = ${pool} and state in ${inService}
                         group by owner having count(*) >= cap_per_owner) end as owners
        from pool
    ), aged as (
      select id from jobs
       where jobs.pool = ${pool} and state = 'queued' and quarantine is null
         and waiting_since <= now() - (select ageing from pool)
         and not_before <= now()
         and case when repository = any ((select repositories from barred)::text[])
                    or owner = any ((select owners from barred)::text[]) then false else true end
       order by waiting_since, id
       limit (select count(*) from seats)
         for no key update skip locked
    ), in_turn as (
      select id from jobs
       where jobs.pool = ${pool} and state = 'queued' and quarantine is null
         and not_before <= now()
         and case when repository = any ((select repositories from barred)::text[])
                    or owner = any ((select owners from barred)::text[]) then false else true end
         and id <> all (array(select id from aged))
       order by priority, share_tag, id
       limit (select count(*) from seats) - (select count(*) from aged)
         for no key update skip locked
    ), taken as (
      update jobs set state = 'claimed'
       where id = any (array(select id from aged union all select id from in_turn))
      returning jobs.*
    ), opened as (
      insert into attempts (handle, job_id, claimed_job_id, runner_id, forge_runner_name, check_at)
      select seats.handle, job.id, job.id, seats.id,
             left(seats.name, ${runnerNameLengthMax - mintSuffixLength}) || '-' || left(replace(seats.handle::text, '-', ''), 8),
             now() + seats.deadline
        from (select id, row_number() over () as place from taken) as job
        join seats using (place)
      returning *
    ), moved as (
      update runners set state = 'claimed' where id = any (array(select runner_id from opened))
    ), told as (
      insert into timeline (subject, subject_id, job_id, kind, source, facts)
      select 'job', job_id, job_id, 'claimed', 'dispatch',
             jsonb_build_object('attempt', id, 'runner', runner_id, 'forgeRunnerName', forge_runner_name)
        from opened
    )
    select asking.id as asking_id, asking.state as asking_state, exists (select from pool) as allowed,
           ${attemptColumns}, ${jobColumns}
      from asking
      left join opened as attempts on attempts.runner_id = asking.id
      left join taken as jobs on jobs.id = attempts.job_id`,
    ),
  )
  if (rows.some((row) => row.allowed === false)) return null
  return new Map(rows.map((row) => [row.asking_id as number, resultOf(row)]))
}

function resultOf(row: Row): ClaimResult {
  if (row.attempt_id !== null) return { kind: 'claimed', claim: { attempt: toAttempt(row), job: toJob(row) } }
  const mayStay = ['booting', 'polling', 'claimed', 'busy'].includes(row.asking_state as string)
  return { kind: mayStay ? 'nothing' : 'leave' }
}
