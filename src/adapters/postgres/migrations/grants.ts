/** Rights of the program on a table: no more than its statements need, and never TRUNCATE. */
const everything = 'select, insert, update, delete'

/**
 * Tables with which it may do less, because what is written there stays. From jobs, runners, attempts, timeline and
 * decisions it may delete: triggers allow that only for rows that the archive has.
 */
const less: Readonly<Record<string, string>> = {
  schema_migrations: 'select',
  installations: 'select, insert',
  pools: 'select, insert, update',
  leases: 'select, insert, update',
  cursors: 'select, insert, update',
  positions: 'select, insert, update',
  // Neither backdated nor rewritten.
  timeline: 'select, delete, insert (subject, subject_id, job_id, kind, source, rule, facts)',
  decisions:
    'select, delete, update (outcome, outcome_at), insert (rule, job_id, attempt_id, runner_id, facts, actions)',
  bounded_acts: 'select, delete, insert (decision_id, kind, runner_id, node)',
  evidence: 'select, insert (kind, runner_id, record)',
  ends: 'select, insert',
  archived_jobs: 'select, insert',
  archived_runners: 'select, insert',
  remedy_trail: 'select, insert (number, previous, hash, entry)',
  remedy_trail_head: 'select, insert, update',
  remedy_plans: 'select, delete, insert (hash, plan)',
}

/** The rights that are granted on a table; the program may write tables of later migrations unless they are listed. */
export function grantOn(table: string): string {
  return less[table] ?? everything
}

/** Functions that do what the program may not do itself. */
export const grantedFunctions = [
  'purge_archived_jobs(interval, integer)',
  'purge_archived_runners(interval, integer)',
]
