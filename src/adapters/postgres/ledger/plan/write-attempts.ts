import type { Attempt } from '../../../../domain/attempt/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { LockedRows } from '../../../../domain/job-event/index.ts'
import { type Db, instant, prepared, sql } from '../../connection/index.ts'
import { instantOrNull } from '../rows/index.ts'

/**
 * Writes attempts: those that end first, because another may take their job. Two that swap jobs pass through a
 * moment at which both would have the same one (I1), so the first waits outside, on a job that does not exist.
 */
export async function writeAttempts(tx: Db, attempts: readonly Attempt[], before: LockedRows): Promise<void> {
  const moving = attempts.filter(
    (attempt) => attempt.endedAt === null && attempt.jobId !== before.attempts.get(attempt.id)?.jobId,
  )
  const ended = attempts.filter(({ endedAt }) => endedAt !== null)
  const open = attempts.filter(({ endedAt }) => endedAt === null)
  await Promise.all([
    ...(moving.length > 1 ? park(tx, moving) : []),
    writeThese(tx, ended, before),
    writeThese(tx, open, before),
  ])
}

function park(tx: Db, attempts: readonly Attempt[]): Promise<unknown>[] {
  return [
    tx.query(sql`set constraints attempts_job_id_fkey deferred`),
    tx.query(
      sql`update attempts set job_id = -id where id = any (${attempts.map(({ id }) => id)}::bigint[])`,
    ),
  ]
}

/** The JIT goes in the same write that takes away the reason to keep it (I2). */
async function writeThese(tx: Db, attempts: readonly Attempt[], before: LockedRows): Promise<void> {
  if (attempts.length === 0) return
  const { rowCount } = await tx.query(
    prepared(
      'write-attempts',
      sql`
    update attempts
       set job_id = moved.job_id,
           state = moved.state,
           forge_runner_id = moved.forge_runner_id,
           minted_at = moved.minted_at,
           delivered_at = moved.delivered_at,
           acknowledged_at = moved.acknowledged_at,
           registered_at = moved.registered_at,
           started_at = moved.started_at,
           ended_at = moved.ended_at,
           end_reason = moved.end_reason,
           evidence_id = moved.evidence_id,
           check_at = moved.check_at,
           jit = case when moved.state in ('minted', 'delivered', 'acknowledged') then jit end,
           jit_key_id = case when moved.state in ('minted', 'delivered', 'acknowledged') then jit_key_id end
      from unnest(
             ${attempts.map(({ id }) => id)}::bigint[],
             ${attempts.map(({ id }) => before.attempts.get(id)?.state ?? '')}::text[],
             ${attempts.map(({ jobId }) => jobId)}::bigint[],
             ${attempts.map(({ state }) => state)}::text[],
             ${attempts.map(({ forgeRunnerId }) => forgeRunnerId)}::bigint[],
             ${attempts.map(({ mintedAt }) => instantOrNull(mintedAt))}::timestamptz[],
             ${attempts.map(({ deliveredAt }) => instantOrNull(deliveredAt))}::timestamptz[],
             ${attempts.map(({ acknowledgedAt }) => instantOrNull(acknowledgedAt))}::timestamptz[],
             ${attempts.map(({ registeredAt }) => instantOrNull(registeredAt))}::timestamptz[],
             ${attempts.map(({ startedAt }) => instantOrNull(startedAt))}::timestamptz[],
             ${attempts.map(({ endedAt }) => instantOrNull(endedAt))}::timestamptz[],
             ${attempts.map(({ endReason }) => endReason)}::text[],
             ${attempts.map(({ evidenceId }) => evidenceId)}::bigint[],
             ${attempts.map(({ checkAt }) => instant(checkAt))}::timestamptz[]
           ) as moved (id, was, job_id, state, forge_runner_id, minted_at, delivered_at, acknowledged_at,
                       registered_at, started_at, ended_at, end_reason, evidence_id, check_at)
     where attempts.id = moved.id and attempts.state = moved.was`,
    ),
  )
  if (rowCount !== attempts.length) {
    const ids = attempts.map(({ id }) => id).join(', ')
    throw new HoldfastError('E_BUG', { what: `of the attempts ${ids} one changed although it was locked` })
  }
}
