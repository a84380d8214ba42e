import type { Handle } from '../../../../domain/attempt/index.ts'
import { priorities } from '../../../../domain/job/index.ts'
import type { Claim } from '../../../../ports/ledger.ts'
import { sql } from '../../connection/index.ts'
import { oneOf, type Row } from '../rows/index.ts'

/** A runner that asks for a job, and what its attempt will be called. */
export interface Asker {
  readonly runnerId: number
  readonly handle: Handle
  readonly forgeRunnerName: string
  readonly deadlineMs: number
}

/** Columns of the job and of the attempt that a claim cannot know by itself; the others need not be transferred. */
export const takenColumns = sql`
  id, installation, forge_job_id, run_id, run_attempt, repository, owner, name, workflow, labels, priority, share_tag,
  mint_failures, requeues, not_before, forge_queued_at, seen_at, check_at`
export const openedColumns = sql`id, job_id, runner_id, forge_runner_name, claimed_at, check_at`

/** The same, when both are given under their tables' names. */
export const claimedColumns = sql`
  attempts.id as attempt_id, attempts.runner_id, attempts.claimed_at, attempts.check_at,
  jobs.id, jobs.installation, jobs.forge_job_id, jobs.run_id, jobs.run_attempt, jobs.repository, jobs.owner,
  jobs.name, jobs.workflow, jobs.labels, jobs.priority, jobs.share_tag, jobs.mint_failures, jobs.requeues, jobs.not_before,
  jobs.forge_queued_at, jobs.seen_at, jobs.check_at as job_check_at`

/** The group of a pool's runners at the forge. */
export const groupOfPool = (pool: string) =>
  sql`(select spec ->> 'runnerGroup' from pools where name = ${pool}) as runner_group`

/** A job that has just been claimed has neither begun nor ended; nor has its attempt come any further. */
export function toClaim(row: Row, pool: string, asker: Asker): Claim {
  const jobId = row.id as number
  const at = { table: 'jobs', id: jobId, column: 'priority' }
  return {
    attempt: {
      id: row.attempt_id as number,
      handle: asker.handle,
      jobId,
      claimedJobId: jobId,
      runnerId: asker.runnerId,
      state: 'claimed',
      forgeRunnerName: asker.forgeRunnerName,
      forgeRunnerId: null,
      claimedAt: row.claimed_at as number,
      mintedAt: null,
      deliveredAt: null,
      acknowledgedAt: null,
      registeredAt: null,
      startedAt: null,
      endedAt: null,
      endReason: null,
      evidenceId: null,
      checkAt: row.check_at as number,
    },
    job: {
      id: jobId,
      installation: row.installation as string,
      forgeJobId: row.forge_job_id as number,
      runId: row.run_id as number,
      runAttempt: row.run_attempt as number,
      repository: row.repository as string,
      owner: row.owner as string,
      name: row.name as string,
      ...(row.workflow === null ? {} : { workflow: row.workflow as string }),
      labels: row.labels as string[],
      pool,
      priority: oneOf(priorities, priorities[row.priority as number] ?? row.priority, at),
      shareTag: row.share_tag as number,
      state: 'claimed',
      conclusion: null,
      executor: null,
      mintFailures: row.mint_failures as number,
      requeues: row.requeues as number,
      notBefore: row.not_before as number,
      quarantine: null,
      forgeQueuedAt: row.forge_queued_at as number | null,
      forgeStartedAt: null,
      forgeCompletedAt: null,
      seenAt: row.seen_at as number,
      checkAt: row.job_check_at as number,
      endedAt: null,
    },
    runnerGroup: row.runner_group as string | null,
  }
}
