import { type Attempt, attemptStates, endReasons } from '../../../../domain/attempt/index.ts'
import { sql } from '../../connection/index.ts'
import { oneOf, type Row } from './row.ts'
import { storedJson } from './stored-json.ts'

/** An attempt's columns under names that no other table's share. The JIT is read only where it is asked for. */
export const attemptColumns = sql`
  attempts.id as attempt_id, attempts.handle as attempt_handle, attempts.job_id as attempt_job_id,
  attempts.claimed_job_id as attempt_claimed_job_id, attempts.runner_id as attempt_runner_id,
  attempts.state as attempt_state, attempts.forge_runner_name as attempt_forge_runner_name,
  attempts.forge_runner_id as attempt_forge_runner_id, attempts.claimed_at as attempt_claimed_at,
  attempts.minted_at as attempt_minted_at, attempts.delivered_at as attempt_delivered_at,
  attempts.acknowledged_at as attempt_acknowledged_at, attempts.registered_at as attempt_registered_at,
  attempts.started_at as attempt_started_at, attempts.ended_at as attempt_ended_at,
  attempts.end_reason as attempt_end_reason, attempts.evidence_id as attempt_evidence_id,
  attempts.check_at as attempt_check_at, attempts.past_deadline as attempt_past_deadline`

export function toAttempt(row: Row): Attempt {
  const id = row.attempt_id as number
  const at = (column: string) => ({ table: 'attempts', id, column })
  const endReason = row.attempt_end_reason
  return {
    id,
    handle: row.attempt_handle as string,
    jobId: row.attempt_job_id as number,
    claimedJobId: row.attempt_claimed_job_id as number,
    runnerId: row.attempt_runner_id as number,
    state: oneOf(attemptStates, row.attempt_state, at('state')),
    forgeRunnerName: row.attempt_forge_runner_name as string,
    forgeRunnerId: row.attempt_forge_runner_id as number | null,
    claimedAt: row.attempt_claimed_at as number,
    mintedAt: row.attempt_minted_at as number | null,
    deliveredAt: row.attempt_delivered_at as number | null,
    acknowledgedAt: row.attempt_acknowledged_at as number | null,
    registeredAt: row.attempt_registered_at as number | null,
    startedAt: row.attempt_started_at as number | null,
    endedAt: row.attempt_ended_at as number | null,
    endReason: endReason === null ? null : oneOf(endReasons, endReason, at('end_reason')),
    evidenceId: row.attempt_evidence_id as number | null,
    checkAt: row.attempt_check_at as number,
    ...(row.attempt_past_deadline === null
      ? {}
      : { pastDeadline: storedJson.pastDeadline(row.attempt_past_deadline, at('past_deadline')) }),
  }
}
