import type { InstallationRow } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'

/** Counts of the open rows of each installation. */
export async function listInstallations(db: Db): Promise<InstallationRow[]> {
  const { rows } = await db.query<InstallationRow>(sql`
    with open_jobs as (
      select id, installation from jobs where ended_at is null
    ), open_attempts as (
      select open_jobs.installation, attempts.runner_id
        from attempts join open_jobs on open_jobs.id = attempts.job_id
       where attempts.ended_at is null
    )
    select installations.name,
           (select count(*) from open_jobs where installation = installations.name) as "openJobs",
           (select count(*) from open_attempts where installation = installations.name) as "openAttempts",
           (select count(*) from open_attempts join runners on runners.id = runner_id
             where installation = installations.name and runners.ended_at is null) as "liveRunners",
           (select count(*) from deliveries where installation = installations.name and state = 'pending') as "pendingDeliveries",
           (select count(*) from incidents where installation = installations.name and closed_at is null) as "openIncidents"
      from installations
     order by installations.name collate "C"`)
  return [...rows]
}

/** Open jobs of an installation, the oldest first; their numbers alone, so that none that cannot be read hides others. */
export async function openJobIds(db: Db, installation: string, limit: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(sql`
    select id from jobs where installation = ${installation} and ended_at is null order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}
