import { HoldfastError } from '../../../../domain/errors/index.ts'
import { jobStates } from '../../../../domain/job/index.ts'
import type { Subject } from '../../../../domain/recovery/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import type { Due } from '../../../../ports/ledger.ts'
import { type Database, type Db, type Sql, sql } from '../../connection/index.ts'
import type { LedgerContext } from '../context.ts'
import { isOfRow, milliseconds } from '../rows/index.ts'
import { subject } from './subject.ts'
import {
  attemptSubjects,
  isStrangeAlone,
  type Judging,
  jobSubjects,
  openOnes,
  runnerSubjects,
} from './subjects.ts'

/** However short others may be silent, a heartbeat of ours within this is one of now. */
const steadyMsMin = 60_000

/**
 * Subjects whose time has come, the longest overdue first. An attempt whose runner ended needs no condition of its
 * own: whatever leaves it open behind a dead runner makes it due in the same transaction. Of an installation that is
 * not served only claims are given: the forge could not be asked about the rest.
 */
export function due(
  database: Database,
  limit: number,
  host: string,
  judging: Judging & Pick<LedgerContext, 'hostSteadyMs'>,
): Promise<Due[]> {
  const { serves, hostLostAfterMs, hostSteadyMs } = judging
  return database.transaction(
    async (tx) => {
      const found = [
        ...(await readAll(
          { tx, judging },
          'attempt',
          sql`attempts.check_at <= now()
              and (attempts.delivered_at is null or ${serves}::text is null
                   or (select installation from jobs where jobs.id = attempts.job_id) = ${serves}::text)
            order by attempts.check_at, attempts.id limit ${limit}`,
        )),
        ...(await readAll(
          { tx, judging },
          'job',
          sql`jobs.check_at <= now() and (${serves}::text is null or jobs.installation = ${serves}::text)
            order by jobs.check_at, jobs.id limit ${limit}`,
        )),
        ...(await strangeJobs({ tx, judging }, limit)),
        ...(await readAll(
          { tx, judging },
          'runner',
          sql`runners.check_at <= now()
              and (runners.host = ${host} or runners.host in (${lostHosts(host, hostLostAfterMs, hostSteadyMs)}))
            order by runners.check_at, runners.id limit ${limit}`,
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

/** Hosts that fell silent for good, as judged by one whose own heartbeats came without a pause. */
function lostHosts(mine: string, lostAfterMs: number, steadyMs: number): Sql {
  return sql`
    select hosts.id from hosts join hosts as mine on mine.id = ${mine}
     where hosts.id <> mine.id
       and hosts.heartbeat_at < now() - ${milliseconds(lostAfterMs)}::interval
       and mine.heartbeat_at >= now() - ${milliseconds(Math.max(lostAfterMs, steadyMsMin))}::interval
       and mine.beating_since <= now() - ${milliseconds(steadyMs)}::interval`
}

interface From {
  readonly tx: Db
  readonly judging: Judging
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
    return (await readers[kind](from.tx, which, from.judging)).map((each) => ({
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
      const read = await subject(from.tx, of, from.judging)
      if (read !== null) found.push({ checkAt, due: read })
    } catch (error) {
      if (!isOfRow(error)) throw error
      found.push({ checkAt, due: { kind: 'unreadable', of, error } })
    }
  }
  return found
}

async function strangeJobs({ tx, judging: { serves } }: From, limit: number): Promise<Found[]> {
  const { rows } = await tx.query<{ id: number; state: string; check_at: Instant }>(sql`
    select id, state, check_at from jobs
     where ${isStrangeAlone} and check_at <= now()
       and (${serves}::text is null or installation = ${serves}::text)
     order by check_at, id limit ${limit}`)
  return rows.map(({ id, state: got, check_at: checkAt }) => {
    const error = new HoldfastError('E_LEDGER_ROW', {
      table: 'jobs',
      id,
      column: 'state',
      got,
      expected: jobStates,
    })
    return { checkAt, due: { kind: 'unreadable', of: { kind: 'job', id }, error } }
  })
}

function checkAtOf(of: Subject): Instant {
  if (of.kind === 'attempt') return of.attempt.checkAt
  return of.kind === 'job' ? of.job.checkAt : of.runner.checkAt
}
