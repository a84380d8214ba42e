import type { RunnerAlive } from '../../../../ports/ledger.ts'
import { type Db, sql } from '../../connection/index.ts'

/** Every runner that lives, with the repository of the job that it has; the newest, at most so many. */
export async function runnersAlive(db: Db, limit: number): Promise<RunnerAlive[]> {
  const { rows } = await db.query<RunnerAlive>(sql`
    select runners.name, runners.pool, jobs.repository
      from (select * from runners where ended_at is null order by id desc limit ${limit}) as runners
      left join attempts on attempts.runner_id = runners.id and attempts.ended_at is null
      left join jobs on jobs.id = attempts.job_id
     order by runners.id desc`)
  return [...rows]
}
