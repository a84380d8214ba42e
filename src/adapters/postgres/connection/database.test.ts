import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cuttingProxy } from '../../../../test/support/cutting-proxy.ts'
import { ask, start } from '../../../../test/support/embedded.ts'
import { clock, entropy, recordedLog } from '../../../../test/support/machine.ts'
import { createEmptyDatabase, type TestDatabase } from '../../../../test/support/postgres.ts'
import { temporaryFolder } from '../../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import { constraintOf, type Database, instant, openDatabase, prepared, sql } from './index.ts'

let testDatabase: TestDatabase
let database: Database
const open = (url: string, poolMax = 4) =>
  openDatabase({ url, tls: { mode: 'disable' }, poolMax, log: recordedLog(), clock, entropy })

beforeEach(async () => {
  testDatabase = await createEmptyDatabase()
  database = await open(testDatabase.url)
  await database.query(sql`create table entry (id int primary key, text text)`)
})
afterEach(async () => {
  await database.close()
  await testDatabase.drop()
})

const ids = async () =>
  (await database.query<{ id: number }>(sql`select id from entry order by id`)).rows.map(({ id }) => id)
const terminate = (condition: string) =>
  ask(
    testDatabase.url,
    `select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and ${condition}`,
  )

describe('values', () => {
  it('come as epoch milliseconds and exact numbers', async () => {
    const { rows } = await database.query(sql`
      select ${instant(1_700_000_000_123)}::timestamptz as at, '1969-12-31 23:59:59.5+00'::timestamptz as before,
             'infinity'::timestamptz as never, null::timestamptz as nothing, 9007199254740991::bigint as big,
             count(*) as none, array['2026-01-01 00:00:00+00'::timestamptz, null] as times,
             array[1, null]::bigint[] as bigs, '2026-01-01'::date as day
        from entry`)
    expect(rows[0]).toEqual({
      at: 1_700_000_000_123,
      before: -500,
      never: Number.POSITIVE_INFINITY,
      nothing: null,
      big: Number.MAX_SAFE_INTEGER,
      none: 0,
      times: [Date.UTC(2026, 0, 1), null],
      bigs: [1, null],
      day: '2026-01-01',
    })
  })

  it('are read rightly in a session with another time zone', async () => {
    const { rows } = await database.transaction(async (tx) => {
      await tx.query(sql`set local time zone 'Asia/Kathmandu'`)
      return tx.query(sql`select '2026-01-01 00:00:00+00'::timestamptz as at`)
    })
    expect(rows).toEqual([{ at: Date.UTC(2026, 0, 1) }])
  })

  it('that no number holds exactly are an error, and the connection lives on', async () => {
    await expect(database.query(sql`select 9007199254740993::bigint as big`)).rejects.toThrow(
      /9007199254740993/,
    )
    expect((await database.query(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
  })

  it('are parameters in statements made of statements', () => {
    const condition = sql`id = ${7} and text = ${'x'}`
    expect(sql`select ${1}, * from entry where ${condition} limit ${2}`).toMatchObject({
      text: 'select $1, * from entry where id = $2 and text = $3 limit $4',
      values: [1, 7, 'x', 2],
    })
    expect(() => sql`select ${undefined}`).toThrow(/write null/)
  })

  it('go to a prepared statement under its name', async () => {
    const single = await open(testDatabase.url, 1)
    try {
      const find = (id: number) => prepared('find-entry', sql`select ${id}::int as id`)
      await single.query(find(1))
      expect((await single.query(find(2))).rows).toEqual([{ id: 2 }])
      expect((await single.query(sql`select name from pg_prepared_statements`)).rows).toEqual([
        { name: 'find-entry' },
      ])
    } finally {
      await single.close()
    }
  })
})

describe('a refused row', () => {
  it('is the server’s error, with its constraint, on a connection that lives on', async () => {
    const single = await open(testDatabase.url, 1)
    try {
      const pid = async () => (await single.query(sql`select pg_backend_pid() as pid`)).rows[0]
      const before = await pid()
      await single.query(sql`insert into entry values (1)`)
      const error = await single.query(sql`insert into entry values (1)`).catch((reason: unknown) => reason)
      expect(constraintOf(error)).toBe('entry_pkey')
      expect(await pid()).toEqual(before)
    } finally {
      await single.close()
    }
  })
})

describe('a transaction', () => {
  it('runs again after a lost race, also where the error of a statement behind the lost one arrives first', async () => {
    let tries = 0
    const lose = sql`do $$ begin raise exception 'lost' using errcode = 'serialization_failure'; end $$`
    const value = await database.transaction(async (tx) => {
      tries += 1
      const first = tries === 1 ? tx.query(lose) : null
      const slowly = new Promise((resolve, reject) => {
        // As a statement that is sent by functions of functions.
        first?.then(resolve, (error: unknown) => setImmediate(reject, error))
        if (first === null) resolve(null)
      })
      await Promise.all([slowly, tx.query(sql`select 1`)])
      return 'done'
    })
    expect([value, tries]).toEqual(['done', 2])
  })

  it('gives the error of the statement that failed, not that of those behind it', async () => {
    const work = database.transaction((tx) => {
      const broken = tx.query(sql`select 1 / 0`)
      return Promise.all([
        new Promise((_, reject) => broken.catch((error) => setImmediate(reject, error))),
        tx.query(sql`select 1`),
      ])
    })
    await expect(work).rejects.toThrow('division by zero')
  })

  it('is all or nothing', async () => {
    await database.transaction(async (tx) => {
      await tx.query(sql`insert into entry values (1)`)
      await tx.query(sql`insert into entry values (2)`)
    })
    const failed = database.transaction(async (tx) => {
      await tx.query(sql`insert into entry values (3)`)
      throw new Error('changed my mind')
    })
    await expect(failed).rejects.toThrow('changed my mind')
    expect(await ids()).toEqual([1, 2])
  })

  it('executes statements that are sent together in their order, from BEGIN on', async () => {
    const [before, , between, , after] = await database.transaction((tx) =>
      Promise.all([
        tx.query(sql`select count(*) as entries from entry`),
        tx.query(sql`insert into entry values (1)`),
        tx.query(sql`select count(*) as entries from entry`),
        tx.query(sql`insert into entry values (2)`),
        tx.query(sql`select count(*) as entries from entry`),
      ]),
    )
    expect([before, between, after].map(({ rows }) => rows[0])).toEqual(
      [0, 1, 2].map((entries) => ({ entries })),
    )
  })

  it('is nothing where one of those sent together fails, and says which', async () => {
    const failed = database.transaction((tx) =>
      Promise.all([
        tx.query(sql`insert into entry values (1)`),
        tx.query(sql`insert into entry values (1)`),
        tx.query(sql`insert into entry values (2)`),
      ]),
    )
    expect(constraintOf(await failed.catch((reason: unknown) => reason))).toBe('entry_pkey')
    expect(await ids()).toEqual([])
  })

  it('runs again after a deadlock, and both sides commit', async () => {
    await database.query(sql`insert into entry values (1, ''), (2, '')`)
    const bothHoldOne = Promise.withResolvers<void>()
    let holders = 0
    let runs = 0
    const cross = (first: number, second: number) =>
      database.transaction(async (tx) => {
        runs++
        await tx.query(sql`update entry set text = text || 'a' where id = ${first}`)
        if (++holders === 2) bothHoldOne.resolve()
        await bothHoldOne.promise
        await tx.query(sql`update entry set text = text || 'b' where id = ${second}`)
      })
    await Promise.all([cross(1, 2), cross(2, 1)])
    expect(runs).toBeGreaterThan(2)
    const { rows } = await database.query<{ text: string }>(sql`select text from entry order by id`)
    expect(rows.map(({ text }) => text.length)).toEqual([2, 2])
  })

  it('gives up after a bounded number of lost races', async () => {
    let runs = 0
    const losing = database.transaction(async (tx) => {
      runs++
      await tx.query(sql`do $$ begin raise serialization_failure; end $$`)
    })
    await expect(losing).rejects.toMatchObject({ code: 'E_LEDGER_CONTENDED' })
    expect(runs).toBe(6)
  })

  it('does not pass for committed when a failed statement was swallowed', async () => {
    const swallowing = database.transaction(async (tx) => {
      await tx.query(sql`insert into entry values (1)`)
      await tx.query(sql`select nonsense`).catch(() => {})
    })
    await expect(swallowing).rejects.toThrow(/rolled it back at commit/)
    expect(await ids()).toEqual([])
  })

  it('refuses statements after its end', async () => {
    let late: (() => Promise<unknown>) | undefined
    await database.transaction(async (tx) => {
      late = async () => tx.query(sql`insert into entry values (9)`)
    })
    await expect(late?.()).rejects.toThrow(/after its transaction had ended/)
  })

  it('says that its outcome is unknown when the answer to COMMIT is lost, and does not run again', async () => {
    const proxy = untilTestEnds(await cuttingProxy(testDatabase.url))
    const far = await open(proxy.url)
    let runs = 0
    const unlucky = far.transaction(async (tx) => {
      runs++
      await tx.query(sql`insert into entry values (1)`)
      proxy.cutAnswerTo('commit')
    })
    await expect(unlucky).rejects.toMatchObject({
      code: 'E_LEDGER_UNAVAILABLE',
      params: { outcomeUnknown: true },
    })
    expect(runs).toBe(1)
    expect(await ids()).toEqual([1])
    expect((await far.query(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
    await far.close()
  })

  it('says that nothing was written when the line breaks before COMMIT', async () => {
    const proxy = untilTestEnds(await cuttingProxy(testDatabase.url))
    const far = await open(proxy.url)
    const unlucky = far.transaction(async (tx) => {
      proxy.cutAnswerTo('insert')
      await tx.query(sql`insert into entry values (1)`)
    })
    await expect(unlucky).rejects.toMatchObject({
      code: 'E_LEDGER_UNAVAILABLE',
      params: { outcomeUnknown: false },
    })
    expect(await ids()).toEqual([])
    await far.close()
  })
})

describe('a lost connection', () => {
  it('under a statement of its own is unavailable with an unknown outcome, and the next call works', async () => {
    const proxy = untilTestEnds(await cuttingProxy(testDatabase.url))
    const far = await open(proxy.url)
    proxy.cutAnswerTo('insert')
    await expect(far.query(sql`insert into entry values (1)`)).rejects.toMatchObject({
      code: 'E_LEDGER_UNAVAILABLE',
      params: { outcomeUnknown: true },
    })
    await far.query(sql`insert into entry values (2)`)
    expect(await ids()).toContain(2)
    await far.close()
  })

  it('by pg_terminate_backend under a running query is unavailable, and the next call works', async () => {
    const sleeping = database.query(sql`select pg_sleep(30)`)
    const lost = expect(sleeping).rejects.toMatchObject({ code: 'E_LEDGER_UNAVAILABLE' })
    await expect.poll(() => terminate(`query like '%pg_sleep%'`)).toEqual([{ count: 1 }])
    await lost
    expect(await ids()).toEqual([])
  })

  it('between two statements of a transaction is an error of that transaction, not of the process', async () => {
    const broken = database.transaction(async (tx) => {
      await tx.query(sql`insert into entry values (1)`)
      expect(await terminate(`state = 'idle in transaction'`)).toEqual([{ count: 1 }])
      await tx.query(sql`insert into entry values (2)`)
    })
    await expect(broken).rejects.toMatchObject({
      code: 'E_LEDGER_UNAVAILABLE',
      params: { outcomeUnknown: false },
    })
    expect(await ids()).toEqual([])
  })

  it('while it was idle is not noticed by the next caller', async () => {
    await Promise.all([1, 2, 3].map(() => database.query(sql`select pg_sleep(0.05)`)))
    expect(database.stats().idle).toBe(3)
    await terminate(`application_name = 'holdfast pool'`)
    await expect.poll(() => database.stats().idle).toBe(0)
    expect(await ids()).toEqual([])
  })

  it('of a server that restarts is unavailable meanwhile, and works again after it', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const first = await start(folder.path)
    const own = await open(first.url)
    await own.query(sql`create table kept as select 7 as seven`)
    await first.stop()
    await expect(own.query(sql`select 1`)).rejects.toMatchObject({
      code: 'E_LEDGER_UNAVAILABLE',
      params: { outcomeUnknown: false },
    })
    const second = await start(folder.path)
    expect(second.port).toBe(first.port)
    expect((await own.query(sql`select seven from kept`)).rows).toEqual([{ seven: 7 }])
    await own.close()
    await second.stop()
  })
})

describe('a server that became read-only', () => {
  it('loses all its pooled connections, and the next call gets a new one', async () => {
    const two = await open(testDatabase.url, 2)
    const standby = sql`select pg_sleep(0.05), set_config('default_transaction_read_only', 'on', false)`
    await Promise.all([two.query(standby), two.query(standby)])
    const write = (id: number) => two.query(sql`insert into entry values (${id})`)
    await expect(write(1)).rejects.toMatchObject({
      code: 'E_LEDGER_UNAVAILABLE',
      params: { outcomeUnknown: false, reason: expect.stringMatching(/read-only/) },
    })
    await Promise.all([write(2), write(3)])
    expect(await ids()).toEqual([2, 3])
    await two.close()
  })
})
