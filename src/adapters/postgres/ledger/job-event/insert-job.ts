import { awaitsApproval, noBackOff, priorities } from '../../../../domain/job/index.ts'
import { type Pool, priorityOf, routeToPool, weightOf } from '../../../../domain/pool/index.ts'
import { type Db, instant, prepared, sql } from '../../connection/index.ts'
import type { LedgerContext } from '../context.ts'
import { channels } from '../plan/index.ts'
import { inService, instantOrNull, json, milliseconds, text, textOrNull } from '../rows/index.ts'
import type { PendingEvent } from './pending-event.ts'

export interface NewJob {
  readonly pending: PendingEvent
  /** Where its labels lead; null: no pool serves them. */
  readonly pool: Pool | null
  readonly staleQueuedAfterMs: number
}

/** A job that is announced and that one of the pools seems to serve; null where it was not inserted. */
export async function insertLikely(
  db: Db,
  ledger: LedgerContext,
  pending: PendingEvent,
): Promise<number | null> {
  const { status, job } = pending.event
  const pool = status === 'queued' ? routeToPool(job, ledger.pools.all) : null
  if (pool === null) return null
  return insertJob(db, { pending, pool, staleQueuedAfterMs: ledger.staleQueuedAfterMs })
}

/**
 * A job that is seen for the first time, with its place in the queue, in one round trip, and its delivery settled.
 * Null where it was not inserted: it is known or archived, or its pool is not what the caller thinks it is. One that is
 * being archived at this moment is a lost race: see the trigger `jobs_have_one_life`.
 *
 * Its tag is that of domain/queue/order.ts; each probe but that for the pool's jobs in service reads one entry of a
 * partial index. Two jobs of one repository that arrive at the very same time may get the same tag, which is worth
 * one turn and no lock.
 */
export async function insertJob(
  db: Db,
  { pending, pool, staleQueuedAfterMs }: NewJob,
): Promise<number | null> {
  const { event, cause, settles } = pending
  const { job } = event
  const repository = text(job.repository)
  const priority = priorities.indexOf(pool === null ? 'normal' : priorityOf(pool, job))
  const step = pool === null ? 1 : 1 / weightOf(pool, job.repository)
  const { rows } = await db.query<{ id: number }>(
    prepared(
      'insert-job',
      sql`
    with given as (
      select ${pool?.name ?? null}::text as pool, ${repository}::text as repository,
             date_trunc('milliseconds', now()) as now, ${instantOrNull(event.queuedAt)}::timestamptz as queued_at
    ), routed as (
      select name from pools
       where name = (select pool from given) and removed_at is null
         and spec = ${pool === null ? null : json(pool)}::jsonb
         for key share -- waits for putPools
    ), tags as (
      select greatest(
               0,
               (select max(share_tag) from jobs where jobs.pool = given.pool and state in ${inService}),
               (select min(lowest.share_tag)
                  from unnest(array[0, 1, 2, 3]::smallint[]) as class (priority),
                       lateral (select share_tag from jobs
                                 where jobs.pool = given.pool and jobs.priority = class.priority
                                   and state = 'queued' and quarantine is null
                                 order by share_tag limit 1) as lowest)
             ) as pool_tag,
             greatest(
               (select max(share_tag) from jobs
                 where jobs.pool = given.pool and lower(jobs.repository) = lower(given.repository) and state in ${inService}),
               (select max(share_tag) from jobs
                 where jobs.pool = given.pool and lower(jobs.repository) = lower(given.repository) and state = 'queued')
             ) as last_tag
        from given
    ), job as (
      insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, name, workflow, visibility, is_fork, labels, pool, priority,
                        share_tag, quarantine, forge_queued_at, seen_at, waiting_since, not_before,
                        check_at)
      select ${job.installation}, ${job.forgeJobId}, ${job.runId}, ${job.runAttempt}, given.repository,
             ${text(job.name)}, ${textOrNull(job.workflow ?? null)}::text, ${job.visibility ?? null}::text, ${job.isFork ?? null}::boolean, ${job.labels.map(text)}::text[], given.pool, ${priority},
             greatest(tags.pool_tag, tags.last_tag + ${step}::double precision),
             ${event.waitsForApproval ? awaitsApproval : null}::text,
             given.queued_at, given.now, least(given.queued_at, given.now), ${instant(noBackOff)},
             given.now + ${milliseconds(staleQueuedAfterMs)}::interval
        from given, tags
       where (given.pool is null or exists (select from routed))
         and not exists (select from archived_jobs
                          where installation = ${job.installation} and forge_job_id = ${job.forgeJobId})
      on conflict (installation, forge_job_id) do nothing
      returning id, pool
    ), logged as (
      insert into timeline (subject, subject_id, job_id, kind, source, rule, facts)
      select 'job', id, id, 'seen', ${cause.source}, ${cause.rule ?? null}::text,
             jsonb_build_object('status', ${event.status}::text, 'pool', pool)
        from job
    ), settled as (
      update deliveries
         set state = 'done', note = 'new', tries = tries + 1, settled_at = now()
       where guid = ${settles}::text and state = 'pending' and exists (select from job)
    )
    select id, pg_notify(${channels.jobs}, pool) from job`,
    ),
  )
  return rows[0]?.id ?? null
}
