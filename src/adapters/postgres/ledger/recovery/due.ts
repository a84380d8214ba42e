import { isError } from '../../../../domain/errors/index.ts'
import type { Subject } from '../../../../domain/recovery/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import type { Due } from '../../../../ports/ledger.ts'
import { type Database, type Db, type Sql, sql } from '../../connection/index.ts'
import { subject } from './subject.ts'
import { attemptSubjects, jobSubjects, openOnes, runnerSubjects } from './subjects.ts'

/**
 * Subjects whose time has come, the longest overdue first. An attempt whose runner ended needs no condition of its
 * own: whatever leaves it open behind a dead runner makes it due in the same transaction. Of an installation that is
 * not served only claims are given: the forge could not be asked about the rest.
 */
export function due(database: Database, limit: number, host: string, serves: string | null): Promise<Due[]> {
  return database.transaction(
    async (tx) => {
      const found = [
        ...(await readAll(
          { tx, serves },
          'attempt',
          sql`attempts.check_at <= now()
              and (attempts.delivered_at is null or ${serves}::text is null
                   or (select installation from jobs where jobs.id = attempts.job_id) = ${serves}::text)
            order by attempts.check_at, attempts.id limit ${limit}`,
        )),
        ...(await readAll(
          { tx, serves },
          'job',
          sql`jobs.check_at <= now() and (${serves}::text is null or jobs.installation = ${serves}::text)
            order by jobs.check_at, jobs.id limit ${limit}`,
        )),
        ...(await readAll(
          { tx, serves },
          'runner',
          sql`runners.check_at <= now() and runners.host = ${host} order by runners.check_at, runners.id limit ${limit}`,
        )),
      ]
      return found
        .toSorted((a, b) => a.checkAt - b.checkAt)
        .slice(0, limit)
        .map((each) => each.due)
    },
    { isolation: 'repeatable read' },
  )
}

interface From {
  readonly tx: Db
  readonly serves: string | null
}

interface Found {
  readonly checkAt: Instant
  readonly due: Due
}

const readers = {
  attempt: attemptSubjects,
  job: jobSubjects,
  runner: runnerSubjects,
} as const

/** All at once; where one of them cannot be read, one by one, so that it hides no other. */
async function readAll(from: From, kind: Subject['kind'], which: Sql): Promise<Found[]> {
  try {
    return (await readers[kind](from.tx, which, from.serves)).map((each) => ({
      checkAt: checkAtOf(each),
      due: each,
    }))
  } catch (error) {
    if (!isOfRow(error)) throw error
    return readOneByOne(from, kind, which)
  }
}

async function readOneByOne(from: From, kind: Subject['kind'], which: Sql): Promise<Found[]> {
  const { rows } = await from.tx.query<{ id: number; check_at: Instant }>(openOnes[kind](which))
  const found: Found[] = []
  for (const { id, check_at: checkAt } of rows) {
    const of = { kind, id }
    try {
      const read = await subject(from.tx, of, from.serves)
      if (read !== null) found.push({ checkAt, due: read })
    } catch (error) {
      if (!isOfRow(error)) throw error
      found.push({ checkAt, due: { kind: 'unreadable', of, error } })
    }
  }
  return found
}

/** What reading a row's columns throws, and not the server. */
function isOfRow(error: unknown): boolean {
  return isError(error, 'E_LEDGER_ROW') || isError(error, 'E_BUG')
}

function checkAtOf(of: Subject): Instant {
  if (of.kind === 'attempt') return of.attempt.checkAt
  return of.kind === 'job' ? of.job.checkAt : of.runner.checkAt
}
