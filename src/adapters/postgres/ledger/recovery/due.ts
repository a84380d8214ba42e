import type { Subject } from '../../../../domain/recovery/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import { type Database, sql } from '../../connection/index.ts'
import { attemptSubjects, jobSubjects, runnerSubjects } from './subjects.ts'

/**
 * Subjects whose time has come, the longest overdue first. An attempt whose runner ended needs no condition of its
 * own: whatever leaves it open behind a dead runner makes it due in the same transaction.
 */
export function due(database: Database, limit: number, host: string): Promise<Subject[]> {
  return database.transaction(
    async (tx) => {
      const subjects = [
        ...(await attemptSubjects(
          tx,
          sql`attempts.check_at <= now() order by attempts.check_at, attempts.id limit ${limit}`,
        )),
        ...(await jobSubjects(
          tx,
          sql`jobs.check_at <= now() order by jobs.check_at, jobs.id limit ${limit}`,
        )),
        ...(await runnerSubjects(
          tx,
          sql`runners.check_at <= now() and runners.host = ${host} order by runners.check_at, runners.id limit ${limit}`,
        )),
      ]
      return subjects.toSorted((a, b) => checkAt(a) - checkAt(b)).slice(0, limit)
    },
    { isolation: 'repeatable read' },
  )
}

function checkAt(subject: Subject): Instant {
  if (subject.kind === 'attempt') return subject.attempt.checkAt
  return subject.kind === 'job' ? subject.job.checkAt : subject.runner.checkAt
}
