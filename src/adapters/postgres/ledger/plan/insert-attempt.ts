import type { Attempt } from '../../../../domain/attempt/index.ts'
import { type Db, instant, sql } from '../../connection/index.ts'
import { instantOrNull } from '../rows/index.ts'

/** An attempt that was found running, not claimed. */
export async function insertAttempt(tx: Db, attempt: Omit<Attempt, 'id'>): Promise<void> {
  await tx.query(sql`
    insert into attempts (
      handle, job_id, claimed_job_id, runner_id, state, forge_runner_name, forge_runner_id,
      claimed_at, minted_at, delivered_at, acknowledged_at, registered_at, started_at, check_at)
    values (
      ${attempt.handle}, ${attempt.jobId}, ${attempt.claimedJobId}, ${attempt.runnerId}, ${attempt.state},
      ${attempt.forgeRunnerName}, ${attempt.forgeRunnerId}, ${instant(attempt.claimedAt)},
      ${instantOrNull(attempt.mintedAt)}, ${instantOrNull(attempt.deliveredAt)},
      ${instantOrNull(attempt.acknowledgedAt)}, ${instantOrNull(attempt.registeredAt)},
      ${instantOrNull(attempt.startedAt)}, ${instant(attempt.checkAt)})`)
}
