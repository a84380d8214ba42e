import { type Job, type JobOrigin, jobStates, priorities } from '../../../../domain/job/index.ts'
import { sql } from '../../connection/index.ts'
import { oneOf, type Row } from './row.ts'

/** A job's columns under names that no other table's share. */
export const jobColumns = sql`
  jobs.id as job_id, jobs.installation as job_installation, jobs.forge_job_id as job_forge_job_id,
  jobs.run_id as job_run_id, jobs.run_attempt as job_run_attempt, jobs.repository as job_repository,
  jobs.owner as job_owner, jobs.name as job_name, jobs.workflow as job_workflow,
  jobs.visibility as job_visibility, jobs.is_fork as job_is_fork, jobs.labels as job_labels, jobs.pool as job_pool,
  jobs.priority as job_priority, jobs.share_tag as job_share_tag, jobs.state as job_state,
  jobs.conclusion as job_conclusion, jobs.executor as job_executor, jobs.mint_failures as job_mint_failures,
  jobs.requeues as job_requeues, jobs.not_before as job_not_before, jobs.quarantine as job_quarantine,
  jobs.forge_queued_at as job_forge_queued_at, jobs.forge_started_at as job_forge_started_at,
  jobs.forge_completed_at as job_forge_completed_at, jobs.seen_at as job_seen_at,
  jobs.check_at as job_check_at, jobs.ended_at as job_ended_at`

/**
 * Jobs in states that only a newer version knows. As the predicate of their index says it, so that the few there are
 * are found without reading the others; a test holds both equal to the states that are known here.
 */
export const inUnknownState = sql`
  jobs.state not in ('queued', 'claimed', 'delivered', 'registered', 'running', 'completed', 'cancelled', 'lost')`

/** Claims skip a job that they could not read: claimed and not read, it would hold its runner. */
export const ofKnownPriority = sql`jobs.priority between 0 and 3`

/** The states in which a job holds a runner. */
export const inService = sql`('claimed', 'delivered', 'registered', 'running')`

/**
 * Jobs that count against caps: those that hold a runner, and those in states that only a newer version knows, which may.
 * As two parts, so that each reads its own index.
 */
export const holdingRunners = sql`(
  select pool, owner, repository from jobs where state in ${inService}
  union all
  select pool, owner, repository from jobs where ${inUnknownState} and ended_at is null)`

export function toJob(row: Row): Job {
  const id = row.job_id as number
  const at = (column: string) => ({ table: 'jobs', id, column })
  return {
    id,
    installation: row.job_installation as string,
    forgeJobId: row.job_forge_job_id as number,
    runId: row.job_run_id as number,
    runAttempt: row.job_run_attempt as number,
    repository: row.job_repository as string,
    owner: row.job_owner as string,
    name: row.job_name as string,
    ...(row.job_workflow === null ? {} : { workflow: row.job_workflow as string }),
    ...originOfRow(row.job_visibility, row.job_is_fork),
    labels: row.job_labels as string[],
    pool: row.job_pool as string | null,
    priority: oneOf(priorities, priorities[row.job_priority as number] ?? row.job_priority, at('priority')),
    shareTag: row.job_share_tag as number,
    state: oneOf(jobStates, row.job_state, at('state')),
    conclusion: row.job_conclusion as string | null,
    executor: row.job_executor as string | null,
    mintFailures: row.job_mint_failures as number,
    requeues: row.job_requeues as number,
    notBefore: row.job_not_before as number,
    quarantine: row.job_quarantine as string | null,
    forgeQueuedAt: row.job_forge_queued_at as number | null,
    forgeStartedAt: row.job_forge_started_at as number | null,
    forgeCompletedAt: row.job_forge_completed_at as number | null,
    seenAt: row.job_seen_at as number,
    checkAt: row.job_check_at as number,
    endedAt: row.job_ended_at as number | null,
  }
}

/** A visibility that only a newer version knows is none that is known to be private: it says nothing here. */
export function originOfRow(visibility: unknown, isFork: unknown): JobOrigin {
  return {
    ...((visibility === 'public' || visibility === 'private') && { visibility }),
    ...(typeof isFork === 'boolean' && { isFork }),
  }
}
