import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import type { Cause, Enrolled, Leader, NewRunner } from '../../../../ports/ledger.ts'
import { constraintOf, type Database, type Db, sql } from '../../connection/index.ts'
import { ensureHosts } from '../host/heartbeat.ts'
import { mayLead } from '../lease/lead.ts'
import { milliseconds, type Row, runnerColumns, text, toRunner } from '../rows/index.ts'

/** One runner, also of a retired pool; the same name gives the same row. */
export function enrol(database: Database, runner: NewRunner, cause: Cause): Promise<Runner> {
  return orUnknownPool(database, [runner], async (tx) => {
    await insertRunners(tx, [runner], 'any pool', cause)
    return (await readInOrder(tx, [runner]))[0] as Runner
  })
}

/** Runners that are about to be started, in one transaction of two statements: 1,000 of them take 0.1 s. */
export function enrolAll(
  database: Database,
  runners: readonly NewRunner[],
  cause: Cause,
  leader: Leader | null,
): Promise<Enrolled> {
  return orUnknownPool(database, runners, async (tx) => {
    if (leader !== null && !(await mayLead(tx, leader))) return { kind: 'deposed' }
    await insertRunners(tx, runners, 'pools there are', cause)
    return { kind: 'enrolled', runners: await readInOrder(tx, runners) }
  })
}

async function orUnknownPool<T>(
  database: Database,
  runners: readonly NewRunner[],
  body: (tx: Db) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction(body)
  } catch (error) {
    if (constraintOf(error) !== 'runners_pool_fkey') throw error
    throw new HoldfastError('E_POOL_UNKNOWN', { pools: await unknownPools(database, runners) }, error)
  }
}

/** The lock on the pools makes a concurrent `putPools` wait for this transaction, or this one see what it retired. */
async function insertRunners(
  tx: Db,
  runners: readonly NewRunner[],
  into: 'any pool' | 'pools there are',
  cause: Cause,
): Promise<void> {
  await ensureHosts(
    tx,
    runners.map(({ host }) => host),
  )
  await tx.query(sql`
    with named as (
      select name, removed_at from pools where name = any (${runners.map(({ pool }) => pool)}::text[]) for share
    ),
    enrolled as (
      insert into runners (name, pool, host, identity_hash, check_at)
      select given.name, pool, host, identity_hash, now() + boot_deadline
        from unnest(
               ${runners.map(({ name }) => name)}::text[],
               ${runners.map(({ pool }) => pool)}::text[],
               ${runners.map(({ host }) => text(host))}::text[],
               ${runners.map(({ identityHash }) => identityHash)}::text[],
               ${runners.map(({ bootDeadlineMs }) => milliseconds(bootDeadlineMs))}::interval[]
             ) with ordinality as given (name, pool, host, identity_hash, boot_deadline, place)
        left join named on named.name = given.pool
       where named.removed_at is null or ${into === 'any pool'}
       order by place
      on conflict (name) do nothing
      returning id, name, pool
    )
    insert into timeline (subject, subject_id, kind, source, rule, facts)
    select 'runner', id, 'enrolled', ${cause.source}, ${cause.rule ?? null}::text,
           jsonb_build_object('pool', pool, 'name', name)
      from enrolled
     order by id`)
}

/** A name that was there before, or that was given twice, is one row; what was not enrolled is left out. */
async function readInOrder(tx: Db, runners: readonly NewRunner[]): Promise<Runner[]> {
  const { rows } = await tx.query<Row>(sql`
    select ${runnerColumns} from runners where name = any (${runners.map(({ name }) => name)}::text[])`)
  const byName = new Map(rows.map(toRunner).map((runner) => [runner.name, runner]))
  return runners.flatMap(({ name }) => byName.get(name) ?? [])
}

async function unknownPools(db: Db, runners: readonly NewRunner[]): Promise<string[]> {
  const named = [...new Set(runners.map(({ pool }) => pool))]
  const { rows } = await db.query<{ name: string }>(sql`
    select name from unnest(${named}::text[]) as named (name)
     where not exists (select from pools where pools.name = named.name)`)
  return rows.map(({ name }) => name)
}
