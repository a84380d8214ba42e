import { absenceMs, type Subject } from '../../../../domain/recovery/index.ts'
import { type Db, type Sql, sql } from '../../connection/index.ts'
import type { LedgerContext } from '../context.ts'
import {
  attemptColumns,
  inUnknownState,
  jobColumns,
  milliseconds,
  type Row,
  runnerColumns,
  toAttempt,
  toJob,
  toRunner,
} from '../rows/index.ts'

/** Settings by which rows are judged, besides their own columns. */
export type Judging = Pick<LedgerContext, 'serves' | 'hostLostAfterMs'>

const hasNoAttempt = sql`
  not exists (select from attempts where attempts.job_id = jobs.id and attempts.ended_at is null)`
/** Open, without an open attempt, which all other states go with. */
const isJobAlone = sql`jobs.state in ('queued', 'running') and ${hasNoAttempt}`
/** Jobs without an attempt in states that only a newer version knows, which no condition on states finds. */
export const isStrangeAlone = sql`${inUnknownState} and jobs.ended_at is null and ${hasNoAttempt}`

/** Which subjects there are of each kind, without what is in their rows. */
export const openOnes = {
  attempt: (which: Sql) =>
    sql`select attempts.id, attempts.check_at from attempts where attempts.ended_at is null and ${which}`,
  job: (which: Sql) => sql`select jobs.id, jobs.check_at from jobs where ${isJobAlone} and ${which}`,
  runner: (which: Sql) =>
    sql`select runners.id, runners.check_at from runners where runners.ended_at is null and ${which}`,
} as const

/** Open attempts with what they bind. */
export async function attemptSubjects(db: Db, which: Sql, { serves }: Judging): Promise<Subject[]> {
  const { rows } = await db.query<Row>(sql`
    select ${attemptColumns}, ${jobColumns}, ${runnerColumns}
      from attempts
      join jobs on jobs.id = attempts.job_id
      join runners on runners.id = attempts.runner_id
     where attempts.ended_at is null and ${which}`)
  return rows.map((row) => {
    const job = toJob(row)
    const subject = { kind: 'attempt', attempt: toAttempt(row), job, runner: toRunner(row) } as const
    return serves === null || job.installation === serves ? subject : { ...subject, isForeign: true }
  })
}

/** Open jobs that have no open attempt. */
export async function jobSubjects(db: Db, which: Sql): Promise<Subject[]> {
  return readJobs(db, sql`${isJobAlone} and ${which}`)
}

/** One of them; one in a state that only a newer version knows is not taken for none. */
export async function jobSubject(db: Db, id: number): Promise<Subject | null> {
  const [found] = await readJobs(db, sql`jobs.id = ${id} and (${isJobAlone} or ${isStrangeAlone})`)
  return found ?? null
}

async function readJobs(db: Db, which: Sql): Promise<Subject[]> {
  const { rows } = await db.query<Row>(sql`select ${jobColumns} from jobs where ${which}`)
  return rows.map((row) => ({ kind: 'job', job: toJob(row) }))
}

/** How long a job may run on a runner, by its pool, also a retired one. */
export const maxJobMs = sql`
  (select case jsonb_typeof(spec -> 'maxJobMs') when 'number' then (spec -> 'maxJobMs')::double precision end
     from pools where pools.name = runners.pool)`

/** Live runners, each with the newest attempt that it had; which ones is settled before these are looked up. */
export async function runnerSubjects(db: Db, which: Sql, { hostLostAfterMs }: Judging): Promise<Subject[]> {
  const { rows } = await db.query<Row>(sql`
    select ${runnerColumns}, ${attemptColumns}, ${jobColumns},
           exists (select from attempts as open where open.runner_id = runners.id
                      and open.ended_at is null) as has_open_attempt,
           (select heartbeat_at from hosts
             where hosts.id = runners.host
               and heartbeat_at < now() - ${milliseconds(hostLostAfterMs)}::interval) as host_lost_since,
           (select beating_since from hosts
             where hosts.id = runners.host
               and heartbeat_at >= now() - ${milliseconds(absenceMs)}::interval) as watched_since,
           ${maxJobMs} as max_job_ms
      from (select * from runners where runners.ended_at is null and ${which}) as runners
      left join lateral (
             select * from attempts where attempts.runner_id = runners.id order by id desc limit 1
           ) as attempts on true
      left join jobs on jobs.id = attempts.job_id`)
  return rows.map((row) => ({
    kind: 'runner',
    runner: toRunner(row),
    hasOpenAttempt: row.has_open_attempt as boolean,
    last: row.attempt_id === null ? null : { attempt: toAttempt(row), job: toJob(row) },
    ...(row.host_lost_since === null ? {} : { hostLostSince: row.host_lost_since as number }),
    ...(row.watched_since === null ? {} : { watchedSince: row.watched_since as number }),
    ...(row.max_job_ms === null ? {} : { maxJobMs: row.max_job_ms as number }),
  }))
}
