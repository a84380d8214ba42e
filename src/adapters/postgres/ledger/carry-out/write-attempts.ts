import type { Attempt } from '../../../../domain/attempt/index.ts'
import type { Rows } from '../../../../domain/binding/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { type Db, instant, sql } from '../../connection/index.ts'
import { instantOrNull } from '../rows/index.ts'

/**
 * Writes attempts: those that end first, because another may take their job. Two that swap jobs pass through a
 * moment at which both would have the same one (I1), so the first waits outside, on a job that does not exist.
 */
export async function writeAttempts(tx: Db, attempts: readonly Attempt[], before: Rows): Promise<void> {
  const moving = attempts.filter(
    (attempt) => attempt.endedAt === null && attempt.jobId !== before.attempts.get(attempt.id)?.jobId,
  )
  if (moving.length > 1) await park(tx, moving)
  const endedFirst = attempts.toSorted((a, b) => Number(b.endedAt !== null) - Number(a.endedAt !== null))
  for (const attempt of endedFirst) await writeAttempt(tx, attempt, before)
}

async function park(tx: Db, attempts: readonly Attempt[]): Promise<void> {
  await tx.query(sql`set constraints attempts_job_id_fkey deferred`)
  await tx.query(sql`
    update attempts set job_id = -id where id = any (${attempts.map(({ id }) => id)}::bigint[])`)
}

/** The JIT goes in the same write that takes away the reason to keep it (I2). */
async function writeAttempt(tx: Db, attempt: Attempt, before: Rows): Promise<void> {
  const { rowCount } = await tx.query(sql`
    update attempts
       set job_id = ${attempt.jobId},
           state = ${attempt.state},
           forge_runner_id = ${attempt.forgeRunnerId},
           minted_at = ${instantOrNull(attempt.mintedAt)},
           delivered_at = ${instantOrNull(attempt.deliveredAt)},
           acknowledged_at = ${instantOrNull(attempt.acknowledgedAt)},
           registered_at = ${instantOrNull(attempt.registeredAt)},
           started_at = ${instantOrNull(attempt.startedAt)},
           ended_at = ${instantOrNull(attempt.endedAt)},
           end_reason = ${attempt.endReason},
           evidence_id = ${attempt.evidenceId},
           check_at = ${instant(attempt.checkAt)},
           jit = case when ${attempt.state} in ('minted', 'delivered', 'acknowledged') then jit end,
           jit_key_id = case when ${attempt.state} in ('minted', 'delivered', 'acknowledged') then jit_key_id end
     where id = ${attempt.id} and state = ${before.attempts.get(attempt.id)?.state ?? ''}`)
  if (rowCount !== 1) {
    throw new HoldfastError('E_BUG', { what: `attempt ${attempt.id} changed although it was locked` })
  }
}
