import type { Job } from '../../../../domain/job/index.ts'
import { type Db, sql } from '../../connection/index.ts'
import { jobColumns, type Row, storedJson, toJob } from '../rows/index.ts'

/** A job by its name in the world outside; one in the archive is known too. */
export async function findJob(db: Db, installation: string, forgeJobId: number): Promise<Job | null> {
  const { rows } = await db.query<Row>(sql`
    select ${jobColumns} from jobs where installation = ${installation} and forge_job_id = ${forgeJobId}`)
  return rows[0] === undefined ? findArchived(db, installation, forgeJobId) : toJob(rows[0])
}

async function findArchived(db: Db, installation: string, forgeJobId: number): Promise<Job | null> {
  const { rows } = await db.query<Row>(sql`
    select id, file -> 'job' as job
      from archived_jobs
     where installation = ${installation} and forge_job_id = ${forgeJobId}
     order by life
     limit 1`)
  const [row] = rows
  if (row === undefined) return null
  return storedJson.job(row.job, { table: 'archived_jobs', id: row.id as number, column: 'file' })
}
