import type { AttemptLedger, Claim } from '../../../../ports/ledger.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import { groupCommitAll } from '../group-commit.ts'
import { attemptColumns, jobColumns, type Row, toAttempt, toJob } from '../rows/index.ts'

/** Runners' open attempts with their jobs; those that are asked for at the same time in one statement. */
export function createReadingOpen(db: Db): AttemptLedger['openAttempt'] {
  return groupCommitAll<number, Claim | null>({
    conflict: () => false,
    run: (runnerIds) => openAttempts(db, runnerIds),
  })
}

/** The runner's open attempt with its job. */
export async function openAttempt(db: Db, runnerId: number): Promise<Claim | null> {
  const [open = null] = await openAttempts(db, [runnerId])
  return open
}

async function openAttempts(db: Db, runnerIds: readonly number[]): Promise<(Claim | null)[]> {
  const { rows } = await db.query<Row>(
    prepared(
      'open-attempts',
      sql`
    select ${attemptColumns}, ${jobColumns},
           (select spec ->> 'runnerGroup' from pools where pools.name = jobs.pool) as runner_group
      from attempts
      join jobs on jobs.id = attempts.job_id
     where attempts.runner_id = any (${runnerIds}::bigint[]) and attempts.ended_at is null`,
    ),
  )
  const byRunner = new Map(rows.map((row) => [row.attempt_runner_id, toClaim(row)]))
  return runnerIds.map((id) => byRunner.get(id) ?? null)
}

function toClaim(row: Row): Claim {
  return { attempt: toAttempt(row), job: toJob(row), runnerGroup: row.runner_group as string | null }
}
