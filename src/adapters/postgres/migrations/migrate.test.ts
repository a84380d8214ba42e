import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clock, entropy, recordedLog } from '../../../../test/support/machine.ts'
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../../../../test/support/postgres.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import { type Database, openDatabase, sql } from '../connection/index.ts'
import { migrate } from './index.ts'

let folder: TemporaryFolder
let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  folder = await temporaryFolder()
  testDatabase = await createEmptyDatabase()
  database = await open()
})
afterEach(async () => {
  await database.close()
  await testDatabase.drop()
  await folder[Symbol.asyncDispose]()
})

const open = () =>
  openDatabase({
    url: testDatabase.url,
    tls: { mode: 'disable' },
    log: recordedLog(),
    clock,
    entropy,
    poolMax: 2,
  })
const put = (file: string, text: string) => writeFile(path.join(folder.path, file), text)
const run = (options = {}) => migrate(database, { folder: folder.path, log: recordedLog(), ...options })
const tables = async () => {
  const { rows } = await database.query<{ relname: string }>(
    sql`select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  return rows.map(({ relname }) => relname)
}

describe('migrate', () => {
  it('applies what is new, in order, and nothing twice', async () => {
    await put('0001_one.sql', 'create table one (id int); insert into one values (1);')
    expect(await run()).toEqual({ applied: ['0001_one.sql'], pending: [] })
    await put('0002_two.sql', 'alter table one add column more text; create table two (id int);')
    expect(await run()).toEqual({ applied: ['0002_two.sql'], pending: [] })
    expect(await run()).toEqual({ applied: [], pending: [] })
    expect(await tables()).toEqual(['one', 'schema_migrations', 'two'])
  })

  it('says what is pending in a dry run and changes nothing, not even its own table', async () => {
    await put('0001_one.sql', 'create table one (id int)')
    expect(await run({ dryRun: true })).toEqual({ applied: [], pending: ['0001_one.sql'] })
    expect(await tables()).toEqual([])
  })

  it('lets ten processes start at once: each file runs exactly once', async () => {
    await put('0001_one.sql', 'create table one (id int); select pg_sleep(0.2); insert into one values (1);')
    await put('0002_two.sql', 'insert into one values (2); select pg_sleep(0.1);')
    await put('0003_three.sql', 'insert into one values (3)')
    const starters = await Promise.all(Array.from({ length: 10 }, open))
    try {
      const results = await Promise.all(
        starters.map((starter) => migrate(starter, { folder: folder.path, log: recordedLog() })),
      )
      expect(results.flatMap(({ applied }) => applied).sort()).toEqual([
        '0001_one.sql',
        '0002_two.sql',
        '0003_three.sql',
      ])
    } finally {
      await Promise.all(starters.map((starter) => starter.close()))
    }
    const { rows } = await database.query<{ id: number }>(sql`select id from one order by id`)
    expect(rows.map(({ id }) => id)).toEqual([1, 2, 3])
  })

  it('rolls a failing file back as a whole, names its line, and keeps those before it', async () => {
    await put('0001_one.sql', 'create table one (id int)')
    await put('0002_two.sql', 'create table two (id int);\n\nselect nonsense from nowhere;\n')
    await expect(run()).rejects.toMatchObject({
      code: 'E_MIGRATION_FAILED',
      params: { file: '0002_two.sql', line: 3 },
    })
    expect(await tables()).toEqual(['one', 'schema_migrations'])
    await put('0002_two.sql', 'create table two (id int)')
    expect(await run()).toEqual({ applied: ['0002_two.sql'], pending: [] })
  })

  it('refuses a file that was changed after it was applied', async () => {
    await put('0001_one.sql', 'create table one (id int)')
    await run()
    await put('0001_one.sql', 'create table one (id bigint)')
    await put('0002_two.sql', 'create table two (id int)')
    await expect(run()).rejects.toMatchObject({ code: 'E_MIGRATION_CHANGED' })
    await expect(run({ dryRun: true })).rejects.toMatchObject({ code: 'E_MIGRATION_CHANGED' })
    expect(await tables()).toEqual(['one', 'schema_migrations'])
  })

  it('refuses a database that is newer than the program', async () => {
    await put('0001_one.sql', 'create table one (id int)')
    await put('0002_two.sql', 'create table two (id int)')
    await run()
    await rm(path.join(folder.path, '0002_two.sql'))
    await expect(run()).rejects.toMatchObject({
      code: 'E_LEDGER_NEWER',
      params: { database: '0002_two', program: '0001_one' },
    })
  })

  it.each([
    ['a gap', ['0001_a.sql', '0003_c.sql'], /0003_c\.sql comes where number 0002 is expected/],
    ['a double number', ['0001_a.sql', '0001_b.sql'], /0001_b\.sql has the number of 0001_a\.sql/],
    ['a start above one', ['0002_b.sql'], /0002_b\.sql comes where number 0001/],
    ['another name', ['0001_a.sql', 'fix.sql'], /fix\.sql is not named like/],
  ])('refuses %s among the files and changes nothing', async (_, files, message) => {
    for (const file of files) await put(file, 'create table one (id int)')
    await expect(run()).rejects.toThrow(message)
    expect(await tables()).toEqual([])
  })

  it('refuses a file with a transaction of its own, and takes a function body with begin', async () => {
    await put('0001_a.sql', 'begin;\ncreate table one (id int);\ncommit;')
    await expect(run()).rejects.toThrow(/begins or ends a transaction itself/)
    await put(
      '0001_a.sql',
      'create function f() returns int language plpgsql as $$\nbegin\n return 1;\nend $$;',
    )
    expect(await run()).toMatchObject({ applied: ['0001_a.sql'] })
  })

  it('says so when there is no folder', async () => {
    await expect(run({ folder: path.join(folder.path, 'missing') })).rejects.toThrow(
      /the folder cannot be read/,
    )
  })

  it("applies the repository's own migrations, which the test template already has", async () => {
    const clone = untilTestEnds(await createDatabase())
    const ours = await openDatabase({
      url: clone.url,
      tls: { mode: 'disable' },
      log: recordedLog(),
      clock,
      entropy,
    })
    try {
      expect(await migrate(ours, { log: recordedLog() })).toEqual({ applied: [], pending: [] })
    } finally {
      await ours.close()
    }
  })
})
