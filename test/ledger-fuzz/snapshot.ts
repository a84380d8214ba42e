import { checkExecutors, checkRows, createMoves, type Violation } from '../../sim/invariants/index.ts'
import { assertInvariants, type RefusableRows } from '../../sim/world/ledger/invariants.ts'
import { type Database, type Db, sql } from '../../src/adapters/postgres/connection/index.ts'
import {
  attemptColumns,
  jobColumns,
  type Row,
  runnerColumns,
  toAttempt,
  toJob,
  toRunner,
} from '../../src/adapters/postgres/ledger/rows/index.ts'
import type { Pool } from '../../src/domain/pool/index.ts'
import { reasonOf } from '../../src/domain/reason.ts'
import { historyChecks } from './history-checks.ts'

type Rows = RefusableRows &
  Parameters<typeof checkRows>[0] & {
    readonly timesBack: ReadonlyMap<number, number>
    readonly judged: ReadonlySet<number>
  }

/**
 * Looks at one snapshot of the database after the other, with the invariants of the simulation and, in SQL, those of
 * what is too much to read.
 */
export function createSnapshotChecks(
  database: Database,
  isTruthful: boolean,
): () => Promise<Violation | null> {
  const checkMoves = createMoves()
  let timesBack: ReadonlyMap<number, number> = new Map()
  return () =>
    database.transaction(
      async (tx) => {
        const rows = await read(tx)
        const earlier = timesBack
        timesBack = rows.timesBack
        const isBack = (jobId: number) => (timesBack.get(jobId) ?? 0) > (earlier.get(jobId) ?? 0)
        return (
          refusable(rows) ??
          checkRows(rows) ??
          (isTruthful ? checkExecutors(rows) : null) ??
          checkMoves(rows.jobs, { wasPutBack: isBack, wasJudged: (jobId) => rows.judged.has(jobId) }) ??
          (await historyChecks(tx))
        )
      },
      { isolation: 'repeatable read' },
    )
}

function refusable(rows: RefusableRows): Violation | null {
  try {
    assertInvariants(rows)
    return null
  } catch (error) {
    return { invariant: 'constraint', what: reasonOf(error) }
  }
}

async function read(tx: Db): Promise<Rows> {
  const all = async (statement: ReturnType<typeof sql>) => (await tx.query<Row>(statement)).rows
  const jobs = await all(sql`select ${jobColumns} from jobs`)
  const attempts = await all(sql`select ${attemptColumns} from attempts`)
  const runners = await all(sql`select ${runnerColumns} from runners`)
  const pools = await all(sql`select name, spec from pools where removed_at is null`)
  const jits = await all(sql`select id from attempts where jit is not null`)
  const evidence = await all(sql`select id, kind, runner_id from evidence`)
  const incidents = await all(sql`select id, kind, installation, scope, key, closed_at from incidents`)
  const holds = await all(sql`select key, incident_id from holds`)
  const back = await all(sql`
    select job_id, count(*) as times from timeline
     where subject = 'job' and kind in ('requeued', 'unbound') group by job_id`)
  const judged = await all(sql`select job_id from timeline where subject = 'job' and kind = 'judgedLost'`)
  const [now] = await all(sql`select now() as now`)
  return {
    jobs: byId(jobs.map(toJob)),
    attempts: byId(attempts.map(toAttempt)),
    runners: byId(runners.map(toRunner)),
    pools: new Map(pools.map(({ name, spec }) => [name as string, spec as Pool])),
    jits: new Map(jits.map(({ id }) => [id as number, null])),
    evidence: new Map(
      evidence.map(({ id, kind, runner_id }) => [
        id as number,
        { kind, runnerId: runner_id } as { kind: 'runner-death'; runnerId: number | null },
      ]),
    ),
    incidents: new Map(
      incidents.map(({ id, closed_at, ...one }) => [id as number, { ...one, closedAt: closed_at } as never]),
    ),
    holds: holds.map(({ key, incident_id }) => ({ key, incidentId: incident_id }) as never),
    timesBack: new Map(back.map(({ job_id, times }) => [job_id as number, times as number])),
    judged: new Set(judged.map(({ job_id }) => job_id as number)),
    now: now?.now as number,
  }
}

function byId<T extends { readonly id: number }>(rows: readonly T[]): Map<number, T> {
  return new Map(rows.map((row) => [row.id, row]))
}
