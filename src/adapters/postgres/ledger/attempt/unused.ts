import type { Instant } from '../../../../domain/time.ts'
import type { UnusedRegistration } from '../../../../ports/ledger.ts'
import { type Db, instant, sql } from '../../connection/index.ts'

/**
 * Registrations whose attempt the forge ended (its job went elsewhere or was over) before the runner was seen. Also
 * where no number of a runner is known: a mint that nobody answered may have registered one. Every other end takes the
 * registration away itself. Attempts are kept for about an hour, so that reading all of them
 * once an audit is cheap.
 */
export async function unusedRegistrations(
  db: Db,
  installation: string,
  since: Instant,
): Promise<UnusedRegistration[]> {
  const { rows } = await db.query<UnusedRegistration>(sql`
    select jobs.repository, attempts.forge_runner_name as "forgeRunnerName", attempts.ended_at as "endedAt"
      from attempts join jobs on jobs.id = attempts.job_id
     where attempts.ended_at >= ${instant(since)}
       and attempts.end_reason in ('taken-elsewhere', 'finished')
       and attempts.registered_at is null and attempts.started_at is null
       and jobs.executor is distinct from attempts.forge_runner_name
       and jobs.installation = ${installation}
     order by attempts.ended_at, attempts.id`)
  return [...rows]
}
