import type { Runner } from '../../../../domain/runner/index.ts'
import type { Cause, NewRunner } from '../../../../ports/ledger.ts'
import { type Database, sql } from '../../connection/index.ts'
import { appendTimeline } from '../carry-out/index.ts'
import { milliseconds, type Row, runnerColumns, toRunner } from '../rows/index.ts'
import { findRunner } from './find.ts'

/** A runner that is about to be started; the same name gives the same row. */
export function enrol(database: Database, runner: NewRunner, cause: Cause): Promise<Runner> {
  const { name, pool, host, identityHash, bootDeadlineMs } = runner
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<Row>(sql`
      insert into runners (name, pool, host, identity_hash, check_at)
      values (${name}, ${pool}, ${host}, ${identityHash}, now() + ${milliseconds(bootDeadlineMs)}::interval)
      on conflict (name) do nothing
      returning ${runnerColumns}`)
    if (rows[0] === undefined) return (await findRunner(tx, name)) as Runner
    const enrolled = toRunner(rows[0])
    const facts = { pool, name }
    const entry = { subject: 'runner', subjectId: enrolled.id, jobId: null, kind: 'enrolled', facts } as const
    await appendTimeline(tx, [entry], cause)
    return enrolled
  })
}
