import type { Job } from '../../../../domain/job/index.ts'
import { closedTo } from '../../../../domain/pool/index.ts'
import { type JobRun, type QueueFacts, runOf } from '../../../../domain/queue/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { listPools } from '../pool/list.ts'
import { maxJobMs } from '../recovery/subjects.ts'
import { attemptColumns, holdingRunners, jobColumns, type Row, toAttempt, toJob } from '../rows/index.ts'
import { ahead } from './ahead.ts'

/** Facts from which `why` is computed, in one snapshot; null where the job is unknown or archived. */
export function queueFacts(
  database: Database,
  jobId: number,
  serves: string | null,
): Promise<QueueFacts | null> {
  return database.transaction(
    async (tx) => {
      const row = await readFacts(tx, jobId)
      if (row === null) return null
      const job = toJob(row)
      const poolExists = row.pool_exists as boolean
      return {
        job,
        now: row.now as Instant,
        poolExists,
        closedPools: poolExists ? [] : closedTo(job, await listPools(tx)),
        ahead: poolExists && job.state === 'queued' ? await ahead(tx, job.id, serves) : [],
        runningOfRepository: row.running_of_repository as number,
        runningOfOwner: row.running_of_owner as number,
        capPerRepository: row.cap_per_repository as number | null,
        capPerOwner: row.cap_per_owner as number | null,
        hold: holdOf(row),
        runners: {
          live: row.runners_live as number,
          idle: row.runners_idle as number,
          max: row.runners_max as number,
        },
        run: runOfRow(row, job),
      }
    },
    { isolation: 'repeatable read' },
  )
}

async function readFacts(tx: Db, jobId: number): Promise<Row | null> {
  const { rows } = await tx.query<Row>(sql`
    select ${jobColumns}, ${attemptColumns}, ${maxJobMs} as max_job_ms, now() as now, pools.name is not null as pool_exists,
           pools.cap_per_repository, pools.cap_per_owner,
           coalesce((pools.spec ->> 'maxRunners')::integer, 0) as runners_max,
           held.key as hold_key, held.reason as hold_reason, held.until as hold_until,
           serving.of_repository as running_of_repository, serving.of_owner as running_of_owner,
           present.live as runners_live, present.idle as runners_idle
      from jobs
      left join pools on pools.name = jobs.pool and pools.removed_at is null
      left join attempts on attempts.job_id = jobs.id and attempts.ended_at is null
      left join runners on runners.id = attempts.runner_id
      left join lateral (
             select key, reason, until from holds
              where until > now()
                and (kind = 'repository' and lower(key) = lower(jobs.repository)
                     or kind = 'account' and lower(key) = lower(jobs.owner))
              order by until desc limit 1
           ) as held on true
     cross join lateral (
             select count(*) filter (where lower(others.repository) = lower(jobs.repository)) as of_repository,
                    count(*) filter (where lower(others.owner) = lower(jobs.owner)) as of_owner
               from ${holdingRunners} as others
              where others.pool = jobs.pool
           ) as serving
     cross join lateral (
             select count(*) as live, count(*) filter (where state = 'polling') as idle
               from runners
              where runners.pool = jobs.pool and runners.ended_at is null
           ) as present
     where jobs.id = ${jobId}`)
  return rows[0] ?? null
}

function runOfRow(row: Row, job: Job): JobRun | null {
  if (row.attempt_id === null) return null
  return runOf(toAttempt(row), job, row.max_job_ms as number | null, row.now as Instant)
}

function holdOf(row: Row): QueueFacts['hold'] {
  if (row.hold_key === null) return null
  return { key: row.hold_key as string, reason: row.hold_reason as string, until: row.hold_until as Instant }
}
