import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import {
  cause,
  complete,
  die,
  enqueue,
  idleRunner,
  jobEventOf,
  linuxPool,
} from '../../../../test/support/ledger-steps.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import type { Ledger } from '../../../ports/ledger.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.empty()
  ledger = await bench.open()
  await ledger.putPools([linuxPool()], cause)
})

const everything = 1_000
const gate = 77

describe('an event about a job that is being archived', () => {
  it.each([
    ['alone', 1],
    ['together with others', 3],
  ])('does not bring it back when it is applied %s', async (_, events) => {
    await ended(1)
    const archiving = untilTestEnds(await archiveAtItsCommit())
    const late = Promise.all(
      Array.from({ length: events }, (_, n) =>
        ledger.applyJobEvent(jobEventOf(n + 1, 'acme/app', 'queued'), cause),
      ),
    )
    await archiving.waitedForBy(1)
    await archiving.commit()
    expect((await late)[0]).toEqual({ kind: 'nothing', jobId: 1 })
    expect(await lives(1)).toEqual({ open: 0, archived: 1 })
  })

  it('announces a job of another number as ever', async () => {
    await ended(1)
    const archiving = untilTestEnds(await archiveAtItsCommit())
    expect(await ledger.applyJobEvent(jobEventOf(2, 'acme/app', 'queued'), cause)).toMatchObject({
      kind: 'new',
    })
    await archiving.commit()
    expect(await lives(2)).toEqual({ open: 1, archived: 0 })
  })

  it('is refused by the database, from any writer', async () => {
    await ended(1)
    await ledger.archive(0, everything)
    await expect(resurrect(1)).rejects.toThrow('is archived')
  })
})

describe('a job that an earlier version let live twice', () => {
  it('is archived next to its first life, and stops nothing', async () => {
    const first = await ended(1)
    await ledger.archive(0, everything)
    const second = await resurrected(1)
    await complete(ledger, 1, 'theirs')
    await ended(2)
    expect(await ledger.archive(0, everything)).toBe(2)
    expect(await ledger.setAside()).toEqual([])
    expect(await lives(1)).toEqual({ open: 0, archived: 2 })
    expect(await ledger.findJob('forge', 1)).toMatchObject({ id: first })
    expect(await ledger.jobFile(second)).toMatchObject({ archived: true, job: { executor: 'theirs' } })
    expect(await ledger.purge(0, everything)).toBe(3)
  })
})

describe('a job or runner that cannot be archived', () => {
  it('is set aside with the reason, and everything else goes on', async () => {
    for (const n of [1, 2, 3]) await ended(n)
    for (const _ of [1, 2]) await die(ledger, (await idleRunner(ledger)).id)
    untilTestEnds(await poisoned('archived_jobs', 'forge_job_id = 2'))
    untilTestEnds(await poisoned('archived_runners', 'id = 1'))
    expect(await ledger.archive(0, everything)).toBe(2)
    const aside = await ledger.setAside()
    expect(aside).toMatchObject([
      { kind: 'job', id: 2, tries: 1, reason: expect.stringContaining('poisoned') },
      { kind: 'runner', id: 1, tries: 1 },
    ])
    await ended(4)
    expect(await ledger.archive(0, 1)).toBe(1) // it is not in the way of others
  })

  it('is tried again later, and forgotten once it could be moved', async () => {
    await ended(1)
    const poison = await poisoned('archived_jobs', 'true')
    await ledger.archive(0, everything)
    expect(await ledger.archive(0, everything)).toBe(0)
    expect(await ledger.setAside()).toMatchObject([{ tries: 1 }])
    await bench.run(`update set_aside set retry_at = now()`)
    await ledger.archive(0, everything)
    expect(await ledger.setAside()).toMatchObject([{ tries: 2 }])
    await poison[Symbol.asyncDispose]()
    await bench.run(`update set_aside set retry_at = now()`)
    expect(await ledger.archive(0, everything)).toBe(1)
    expect(await ledger.setAside()).toEqual([])
  })

  it('leaves the holds and deliveries to be cleared away', async () => {
    await ended(1)
    const incident = { kind: 'actions-disabled', installation: 'forge', scope: 'repository' } as const
    await ledger.raiseIncident({ ...incident, key: 'acme/over', reason: '' }, 0)
    untilTestEnds(await poisoned('archived_jobs', 'true'))
    await ledger.archive(0, everything)
    expect((await bench.run('select from holds')).rowCount).toBe(0)
  })
})

/** A job that a stranger's runner completed; gives its id. */
async function ended(forgeJobId: number): Promise<number> {
  const id = await enqueue(ledger, forgeJobId)
  await complete(ledger, forgeJobId, 'theirs')
  return id
}

async function lives(forgeJobId: number): Promise<{ open: number; archived: number }> {
  const { rows } = await bench.run(
    `select (select count(*)::int from jobs where forge_job_id = $1) as open,
            (select count(*)::int from archived_jobs where forge_job_id = $1) as archived`,
    [forgeJobId],
  )
  return rows[0]
}

async function resurrect(forgeJobId: number): Promise<number> {
  const { rows } = await bench.run(
    `insert into jobs (installation, forge_job_id, run_id, run_attempt, repository, name, labels, pool, priority,
                       share_tag, check_at)
     values ('forge', $1, 1, 1, 'acme/app', 'build', '{self-hosted}', 'linux', 1, 0, now()) returning id::int`,
    [forgeJobId],
  )
  return rows[0].id
}

/** As an earlier version left it: there was no trigger. */
async function resurrected(forgeJobId: number): Promise<number> {
  await bench.run('alter table jobs disable trigger jobs_have_one_life')
  const id = await resurrect(forgeJobId)
  await bench.run('alter table jobs enable trigger jobs_have_one_life')
  return id
}

/** An archive that has deleted its jobs and waits at its commit. */
async function archiveAtItsCommit() {
  const holder = new pg.Client({ connectionString: bench.url })
  await holder.connect()
  await holder.query(`
    create function wait_at_the_gate() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(${gate}); return null; end $$;
    create constraint trigger at_the_gate after delete on jobs deferrable initially deferred
      for each row execute function wait_at_the_gate();
    select pg_advisory_lock(${gate})`)
  const archived = ledger.archive(0, everything)
  await waiting(holder, `wait_event = 'advisory'`, 1)
  return {
    waitedForBy: (sessions: number) => waiting(holder, `wait_event = 'transactionid'`, sessions),
    async commit() {
      await holder.query(`select pg_advisory_unlock(${gate})`)
      expect(await archived).toBe(1)
    },
    async [Symbol.asyncDispose]() {
      await holder.query(`select pg_advisory_unlock_all()`)
      await archived
      await holder.query('drop trigger at_the_gate on jobs; drop function wait_at_the_gate')
      await holder.end()
    },
  }
}

async function waiting(client: pg.Client, how: string, sessions: number): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_stat_activity where datname = current_database() and ${how}`,
  )
  if ((rowCount ?? 0) < sessions) await waiting(client, how, sessions)
}

/** Rows of a table that the database refuses. */
async function poisoned(table: string, condition: string): Promise<AsyncDisposable> {
  await bench.run(`alter table ${table} add constraint poisoned check (not (${condition})) not valid`)
  return {
    async [Symbol.asyncDispose]() {
      await bench.run(`alter table ${table} drop constraint poisoned`)
    },
  }
}
