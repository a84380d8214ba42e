import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import type { LockedRows } from '../../../../domain/job-event/index.ts'
import { type Db, instant, prepared, sql } from '../../connection/index.ts'
import { instantOrNull, text } from '../rows/index.ts'

/** Writes what transitions change of jobs, if they are still in the states that the plan was made for. */
export async function writeJobs(tx: Db, jobs: readonly Job[], before: LockedRows): Promise<void> {
  if (jobs.length === 0) return
  const textOrNull = (value: string | null) => (value === null ? null : text(value))
  const { rowCount } = await tx.query(
    prepared(
      'write-jobs',
      sql`
    update jobs
       set state = moved.state,
           conclusion = moved.conclusion,
           executor = moved.executor,
           mint_failures = moved.mint_failures,
           requeues = moved.requeues,
           not_before = moved.not_before,
           quarantine = moved.quarantine,
           forge_started_at = moved.forge_started_at,
           forge_completed_at = moved.forge_completed_at,
           check_at = moved.check_at,
           ended_at = moved.ended_at
      from unnest(
             ${jobs.map(({ id }) => id)}::bigint[],
             ${jobs.map(({ id }) => before.jobs.get(id)?.state ?? '')}::text[],
             ${jobs.map(({ state }) => state)}::text[],
             ${jobs.map(({ conclusion }) => textOrNull(conclusion))}::text[],
             ${jobs.map(({ executor }) => textOrNull(executor))}::text[],
             ${jobs.map(({ mintFailures }) => mintFailures)}::integer[],
             ${jobs.map(({ requeues }) => requeues)}::integer[],
             ${jobs.map(({ notBefore }) => instant(notBefore))}::timestamptz[],
             ${jobs.map(({ quarantine }) => textOrNull(quarantine))}::text[],
             ${jobs.map(({ forgeStartedAt }) => instantOrNull(forgeStartedAt))}::timestamptz[],
             ${jobs.map(({ forgeCompletedAt }) => instantOrNull(forgeCompletedAt))}::timestamptz[],
             ${jobs.map(({ checkAt }) => instant(checkAt))}::timestamptz[],
             ${jobs.map(({ endedAt }) => instantOrNull(endedAt))}::timestamptz[]
           ) as moved (id, was, state, conclusion, executor, mint_failures, requeues, not_before, quarantine,
                       forge_started_at, forge_completed_at, check_at, ended_at)
     where jobs.id = moved.id and jobs.state = moved.was`,
    ),
  )
  if (rowCount !== jobs.length) {
    const ids = jobs.map(({ id }) => id).join(', ')
    throw new HoldfastError('E_BUG', { what: `of the jobs ${ids} one changed although it was locked` })
  }
}
