import { type RunnerDeath, runnerDeath } from '../../../../domain/death/index.ts'
import { type Db, prepared, type Sql, sql } from '../../connection/index.ts'
import { RowsMoved } from '../plan/index.ts'
import { text } from '../rows/index.ts'
import type { PendingEvent } from './pending-event.ts'

/** Ids of a job, of its open attempt, and of the newest attempt under the event's runner name. */
export interface BoundRows {
  readonly now: number
  readonly job: number
  readonly of_job: number | null
  readonly of_job_runner: number | null
  readonly of_job_death: RunnerDeath | null
  readonly of_runner: number | null
  readonly of_runner_job: number | null
  readonly of_runner_runner: number | null
  readonly of_runner_death: RunnerDeath | null
  readonly runner_has_open_attempt: boolean
}

/** Rows that are bound to the job and to the runner that each event names, in the order of the events. */
export async function findBoundRows(
  tx: Db,
  batch: readonly PendingEvent[],
): Promise<Map<PendingEvent, BoundRows>> {
  const { rows } = await tx.query<Found>(
    prepared(
      'find-around',
      sql`
    select place, now() as now, jobs.id as job,
           of_job.id as of_job, of_job.runner_id as of_job_runner, of_runner.id as of_runner,
           of_runner.job_id as of_runner_job, of_runner.runner_id as of_runner_runner,
           ${deathOf(sql`of_job.runner_id`)} as of_job_death,
           ${deathOf(sql`of_runner.runner_id`)} as of_runner_death,
           exists (select from attempts where runner_id = of_runner.runner_id
                      and ended_at is null) as runner_has_open_attempt
      from unnest(
             ${batch.map(({ event }) => event.job.installation)}::text[],
             ${batch.map(({ event }) => event.job.forgeJobId)}::bigint[],
             ${batch.map(({ event }) => (event.runnerName === null ? null : text(event.runnerName)))}::text[]
           ) with ordinality as asked (installation, forge_job_id, runner_name, place)
     cross join lateral (
             select id from jobs
              where jobs.installation = asked.installation and jobs.forge_job_id = asked.forge_job_id limit 1
           ) as jobs
      left join lateral (
             select id, runner_id from attempts where job_id = jobs.id and ended_at is null limit 1
           ) as of_job on true
      left join lateral (
             select id, job_id, runner_id from attempts
              where forge_runner_name = asked.runner_name
              order by (ended_at is null) desc, id desc limit 1
           ) as of_runner on true
     order by place`,
    ),
  )
  const gone = batch.find((_, index) => !rows.some(({ place }) => place === index + 1))
  if (gone !== undefined) throw new RowsMoved(`forge job ${gone.event.job.forgeJobId}`) // it went into the archive
  return new Map(rows.map(({ place, ...found }) => [batch[place - 1] as PendingEvent, boundRowsOf(found)]))
}

type Deaths = 'of_job_death' | 'of_runner_death'
type Found = Omit<BoundRows, Deaths> & Record<Deaths, Sealed | null> & { readonly place: number }
type Sealed = Parameters<typeof runnerDeath>[0] & { readonly sealedAt: number }

/** The part of a runner's sealed record that decides about its job: a whole record is kilobytes. */
function deathOf(runnerId: Sql): Sql {
  return sql`
           (select jsonb_build_object(
                     'sealedAt', extract(epoch from sealed_at) * 1000,
                     'class', record -> 'class', 'confidence', record -> 'confidence',
                     'silence', record -> 'silence',
                     'ending', jsonb_build_object(
                       'endedAt', record #> '{ending,endedAt}',
                       'stopRequestedBy', record #> '{ending,stopRequestedBy}',
                       'pod', jsonb_build_object('deletedAt', record #> '{ending,pod,deletedAt}',
                                                 'conditions', record #> '{ending,pod,conditions}')))
              from evidence where kind = 'runner-death' and runner_id = ${runnerId})`
}

function boundRowsOf(found: Omit<Found, 'place'>): BoundRows {
  const death = (sealed: Sealed | null) => (sealed === null ? null : runnerDeath(sealed, sealed.sealedAt))
  return {
    ...found,
    of_job_death: death(found.of_job_death),
    of_runner_death: death(found.of_runner_death),
  }
}
