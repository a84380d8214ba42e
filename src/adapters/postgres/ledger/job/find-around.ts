import { type RunnerDeath, runnerDeath } from '../../../../domain/death/index.ts'
import { type Db, prepared, type Sql, sql } from '../../connection/index.ts'
import { RowsMoved } from '../carry-out/index.ts'
import { text } from '../rows/index.ts'
import type { Said } from './said.ts'

/** Ids of a job, of its open attempt, and of the newest attempt under the word's runner name. */
export interface Around {
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

/** What is bound to the job and to the runner that each word names, in the order of the words. */
export async function findAround(tx: Db, batch: readonly Said[]): Promise<Map<Said, Around>> {
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
             ${batch.map(({ word }) => word.job.installation)}::text[],
             ${batch.map(({ word }) => word.job.forgeJobId)}::bigint[],
             ${batch.map(({ word }) => (word.runnerName === null ? null : text(word.runnerName)))}::text[]
           ) with ordinality as said (installation, forge_job_id, runner_name, place)
     cross join lateral (
             select id from jobs
              where jobs.installation = said.installation and jobs.forge_job_id = said.forge_job_id limit 1
           ) as jobs
      left join lateral (
             select id, runner_id from attempts where job_id = jobs.id and ended_at is null limit 1
           ) as of_job on true
      left join lateral (
             select id, job_id, runner_id from attempts
              where forge_runner_name = said.runner_name
              order by (ended_at is null) desc, id desc limit 1
           ) as of_runner on true
     order by place`,
    ),
  )
  const gone = batch.find((_, index) => !rows.some(({ place }) => place === index + 1))
  if (gone !== undefined) throw new RowsMoved(`forge job ${gone.word.job.forgeJobId}`) // it went into the archive
  return new Map(rows.map(({ place, ...found }) => [batch[place - 1] as Said, aroundOf(found)]))
}

type Deaths = 'of_job_death' | 'of_runner_death'
type Found = Omit<Around, Deaths> & Record<Deaths, Sealed | null> & { readonly place: number }
type Sealed = Parameters<typeof runnerDeath>[0] & { readonly sealedAt: number }

/** What of a runner's sealed record decides about its job: a record is kilobytes. */
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

function aroundOf(found: Omit<Found, 'place'>): Around {
  const death = (sealed: Sealed | null) => (sealed === null ? null : runnerDeath(sealed, sealed.sealedAt))
  return {
    ...found,
    of_job_death: death(found.of_job_death),
    of_runner_death: death(found.of_runner_death),
  }
}
