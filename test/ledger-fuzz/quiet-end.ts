import type { Violation } from '../../sim/invariants/index.ts'
import { type Database, sql } from '../../src/adapters/postgres/connection/index.ts'
import { aDeathRecord } from '../../src/domain/death/testing.ts'
import type { Job } from '../../src/domain/job/index.ts'
import type { Ledger } from '../../src/ports/ledger.ts'
import type { Knowledge } from './knowledge.ts'

const audit = { source: 'audit' } as const
const lifecycle = { source: 'lifecycle' } as const
const batch = 200

/**
 * When all is quiet the forge says of every job that it is over and every runner ends: then nothing is open, every death
 * was read once, everything can be archived, and nothing is left behind by what was.
 */
export async function checkQuietEnd(
  ledger: Ledger,
  database: Database,
  known: Knowledge,
): Promise<Violation | null> {
  for (const job of (await ledger.jobs({ limit: 1_000_000 })).rows) {
    if (job.endedAt === null) await ledger.applyJobEvent(overWord(job), audit)
  }
  for (const runner of (await ledger.runners(0)).rows) {
    if ((await ledger.sealDeath(runner.id, aDeathRecord(), 'it ended', lifecycle)) === 'sealed')
      known.sealed.set(runner.id, 1)
  }
  const open = await first(
    database,
    sql`select 'attempt ' || id as subject from attempts where ended_at is null`,
  )
  if (open !== null) return { invariant: 'end', what: `${open} is open, and its job is over` }
  for (let read = -1; read !== known.deathsRead.length; ) {
    read = known.deathsRead.length
    known.deathsRead.push(
      ...(await ledger.deathsAfter(known.deathsRead.at(-1) ?? 0, batch)).map(({ id }) => id),
    )
  }
  if (known.deathsRead.length !== known.sealed.size) {
    const what = `${known.sealed.size} deaths were sealed, and a reader in their order saw ${known.deathsRead.length}`
    return { invariant: 'I5', what }
  }
  while ((await ledger.archive(0, batch)) > 0);
  const left = await first(
    database,
    sql`
    select 'job ' || id as subject from jobs
    union all select 'runner ' || id from runners
    union all select 'attempt ' || id from attempts
    union all select 'evidence ' || id from evidence
    union all select 'timeline row ' || id || ' of job ' || job_id from timeline
    union all select 'decision ' || id from decisions
    union all select 'delivery ' || guid from deliveries where state = 'pending'`,
  )
  return left === null ? null : { invariant: 'end', what: `${left} is left behind by what was archived` }
}

async function first(database: Database, statement: ReturnType<typeof sql>): Promise<string | null> {
  const { rows } = await database.query<{ subject: string }>(statement)
  return rows[0]?.subject ?? null
}

function overWord(job: Job) {
  const { installation, forgeJobId, runId, runAttempt, repository, name, labels } = job
  return {
    job: { installation, forgeJobId, runId, runAttempt, repository, name, labels },
    status: 'completed' as const,
    runnerName: job.executor,
    conclusion: 'success',
    queuedAt: null,
    startedAt: job.forgeStartedAt,
    completedAt: 1,
  }
}
