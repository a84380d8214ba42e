import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask } from '../../../../test/support/embedded.ts'
import { clock, entropy, recordedLog } from '../../../../test/support/machine.ts'
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres.ts'
import { type Database, openDatabase, targetOf } from '../connection/index.ts'
import { grantTo, migrate, ownsLedger } from './index.ts'

let made: TestDatabase
let owner: Database
let program: Database
beforeEach(async () => {
  made = await createDatabase()
  owner = await open(made.url)
  program = await open(made.programUrl)
})
afterEach(async () => {
  await owner.close()
  await program.close()
  await made.drop()
})

const open = (url: string) =>
  openDatabase({ url, tls: { mode: 'disable' }, log: recordedLog(), clock, entropy, poolMax: 1 })
const role = () => targetOf(made.programUrl).user

describe('the role that the program runs as', () => {
  it('owns nothing, is no superuser, and may empty or alter nothing', async () => {
    const [rights] = await ask(
      made.programUrl,
      `select (select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls from pg_roles where rolname = current_user) as mighty,
              (select count(*)::int from pg_class where relowner = current_user::regrole) as owned,
              (select count(*)::int from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
                  and has_table_privilege(oid, 'truncate, references, trigger')) as emptied,
              has_schema_privilege('public', 'create') as creates`,
    )
    expect(rights).toEqual({ mighty: false, owned: 0, emptied: 0, creates: false })
    expect(await ownsLedger(program)).toBe(false)
    expect(await ownsLedger(owner)).toBe(true)
  })

  it('is given what later migrations bring, and nothing is granted twice', async () => {
    await ask(made.url, 'create table later (id bigint)')
    await expect(ask(made.programUrl, 'insert into later values (1)')).rejects.toMatchObject({
      code: '42501',
    })
    await grantTo(owner, role())
    await ask(made.programUrl, 'insert into later values (1)')
    const version = () => ask(made.url, `select xmin::text from pg_class where relname = 'later'`)
    const before = await version()
    await grantTo(owner, role())
    expect(await version()).toEqual(before)
  })

  it('finds a schema that is up to date, and does not touch it', async () => {
    expect(await migrate(program, { log: recordedLog() })).toEqual({ applied: [], pending: [] })
  })

  it('says who has to migrate where something is pending', async () => {
    await ask(
      made.url,
      'delete from schema_migrations where version = (select max(version) from schema_migrations)',
    )
    await expect(migrate(program, { log: recordedLog() })).rejects.toMatchObject({
      code: 'E_MIGRATION_RIGHTS',
    })
  })
})
