import type { Attempt } from '../../../../domain/attempt/index.ts'
import type { Job } from '../../../../domain/job/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import { type Db, prepared, sql } from '../../connection/index.ts'
import {
  attemptColumns,
  jobColumns,
  type Row,
  runnerColumns,
  toAttempt,
  toJob,
  toRunner,
} from '../rows/index.ts'

// Everybody locks jobs, then attempts, then runners, each by id: two transactions never wait for each other.
// Keys never change, so that a foreign key's check need not wait for these locks.

export async function lockJobs(tx: Db, ids: readonly number[]): Promise<Map<number, Job>> {
  const { rows } = await tx.query<Row>(
    prepared(
      'lock-jobs',
      sql`
    select ${jobColumns} from jobs where id = any (${ids}::bigint[]) order by id for no key update`,
    ),
  )
  return new Map(rows.map(toJob).map((job) => [job.id, job]))
}

export async function lockAttempts(tx: Db, ids: readonly number[]): Promise<Map<number, Attempt>> {
  const { rows } = await tx.query<Row>(
    prepared(
      'lock-attempts',
      sql`
    select ${attemptColumns} from attempts where id = any (${ids}::bigint[]) order by id for no key update`,
    ),
  )
  return new Map(rows.map(toAttempt).map((attempt) => [attempt.id, attempt]))
}

export async function lockRunners(tx: Db, ids: readonly number[]): Promise<Map<number, Runner>> {
  const { rows } = await tx.query<Row>(
    prepared(
      'lock-runners',
      sql`
    select ${runnerColumns} from runners where id = any (${ids}::bigint[]) order by id for no key update`,
    ),
  )
  return new Map(rows.map(toRunner).map((runner) => [runner.id, runner]))
}
