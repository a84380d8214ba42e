import { type Runner, runnerStates } from '../../../../domain/runner/index.ts'
import { sql } from '../../connection/index.ts'
import { oneOf, type Row } from './row.ts'

/** A runner's columns under names that no other table's share. */
export const runnerColumns = sql`
  runners.id as runner_id, runners.name as runner_name, runners.pool as runner_pool, runners.host as runner_host,
  runners.state as runner_state, runners.identity_hash as runner_identity_hash, runners.pod_uid as runner_pod_uid,
  runners.created_at as runner_created_at, runners.polled_at as runner_polled_at,
  runners.ever_claimed as runner_ever_claimed, runners.fenced_at as runner_fenced_at, runners.ended_at as runner_ended_at,
  runners.reason as runner_reason, runners.evidence_id as runner_evidence_id,
  runners.check_at as runner_check_at`

/** Runners in states that only a newer version knows: whatever state is asked for, they may be in it. */
export const inUnknownRunnerState = sql`state <> all (${runnerStates}::text[])`

export function toRunner(row: Row): Runner {
  const id = row.runner_id as number
  return {
    id,
    name: row.runner_name as string,
    pool: row.runner_pool as string,
    host: row.runner_host as string,
    state: oneOf(runnerStates, row.runner_state, { table: 'runners', id, column: 'state' }),
    identityHash: row.runner_identity_hash as string | null,
    podUid: row.runner_pod_uid as string | null,
    createdAt: row.runner_created_at as number,
    polledAt: row.runner_polled_at as number | null,
    everClaimed: row.runner_ever_claimed as boolean | null,
    fencedAt: row.runner_fenced_at as number | null,
    endedAt: row.runner_ended_at as number | null,
    reason: row.runner_reason as string | null,
    evidenceId: row.runner_evidence_id as number | null,
    checkAt: row.runner_check_at as number,
  }
}
