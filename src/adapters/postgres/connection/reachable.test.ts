import { spawnSync } from 'node:child_process'
import { chmod, mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ask, start } from '../../../../test/support/embedded.ts'
import { clock, entropy, recordedLog } from '../../../../test/support/machine.ts'
import { createEmptyDatabase } from '../../../../test/support/postgres.ts'
import { temporaryFolder } from '../../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../../test/support/until-test-ends.ts'
import { startEmbedded } from '../../embedded-postgres/index.ts'
import { openDatabase, sql, type Tls, targetOf } from './index.ts'

const open = (url: string, { tls, reachableWithinMs = 1_000, log = recordedLog() }: OpenHow = {}) =>
  openDatabase({ url, reachableWithinMs, log, clock, entropy, ...(tls && { tls }) })
interface OpenHow {
  tls?: Tls
  reachableWithinMs?: number
  log?: ReturnType<typeof recordedLog>
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

describe('a server that is not there', () => {
  it('is waited for with lines of progress, then an error that names it and hides the password', async () => {
    const log = recordedLog()
    const url = `postgres://me:s3cret@127.0.0.1:${await freePort()}/ledger`
    const error = await open(url, { log, reachableWithinMs: 700 }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'E_LEDGER_UNREACHABLE', entry: { exitCode: 4 } })
    expect(String(error)).toMatch(/127\.0\.0\.1:\d+\/ledger.*ECONNREFUSED/)
    expect(log.lines.filter(({ message }) => /not reachable yet/.test(message)).length).toBeGreaterThan(0)
    expect(JSON.stringify([log.lines, String(error)])).not.toContain('s3cret')
  })

  it('is used as soon as it comes', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const first = await start(folder.path)
    await first.stop()
    const log = recordedLog()
    const opening = open(first.url, { log, reachableWithinMs: 15_000 })
    await log.line(/not reachable yet/)
    const second = await start(folder.path)
    const database = await opening
    expect((await database.query(sql`select 1 as one`)).rows).toEqual([{ one: 1 }])
    await database.close()
    await second.stop()
  })
})

describe('a server that cannot be used', () => {
  it.each([
    ['the password', { password: 'wrong' }, /password authentication failed/],
    ['the database', { pathname: '/nowhere' }, /"nowhere" does not exist/],
  ])('is refused at once when %s is wrong', async (_, wrong, message) => {
    const fresh = untilTestEnds(await createEmptyDatabase())
    const url = Object.assign(new URL(fresh.url), wrong)
    // Longer than this test may take.
    const error = await open(url.href, { reachableWithinMs: 60_000 }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'E_LEDGER_REFUSED', message: expect.stringMatching(message) })
  })

  it('is refused when it is older than 15', async () => {
    const fresh = untilTestEnds(await createEmptyDatabase())
    const name = new URL(fresh.url).pathname.slice(1)
    await ask(
      fresh.url,
      `create schema old;
       create function old.current_setting(text) returns text language sql
         as $$ select case $1 when 'server_version_num' then '140011' else 'off' end $$;
       alter database ${name} set search_path = old, pg_catalog`,
    )
    await expect(open(fresh.url)).rejects.toMatchObject({
      code: 'E_LEDGER_TOO_OLD',
      params: { found: 14, needed: 15 },
    })
  })

  it('is waited for while it is read-only', async () => {
    const fresh = untilTestEnds(await createEmptyDatabase())
    const name = new URL(fresh.url).pathname.slice(1)
    await ask(fresh.url, `alter database ${name} set default_transaction_read_only = on`)
    const log = recordedLog()
    const opening = open(fresh.url, { log, reachableWithinMs: 15_000 })
    await log.line(/not reachable yet/)
    expect(log.lines.at(-1)?.fields.reason).toMatch(/read-only/)
    await ask(
      fresh.url,
      `set transaction_read_only = off; alter database ${name} reset default_transaction_read_only`,
    )
    const database = await opening
    await database.close()
  })
})

describe('TLS', () => {
  const encrypted = sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`

  it('is used as far as asked for and offered', async (context) => {
    const folder = untilTestEnds(await temporaryFolder())
    const made = spawnSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
        ...['-addext', 'subjectAltName=DNS:localhost'],
        ...['-keyout', path.join(folder.path, 'key.pem'), '-out', path.join(folder.path, 'cert.pem')],
      ],
      { encoding: 'utf8' },
    )
    if (made.status !== 0) context.skip(`DID NOT RUN: openssl makes no certificate here: ${made.stderr}`)
    const data = path.join(folder.path, 'data')
    await mkdir(data)
    await (await start(data)).stop()
    spawnSync('cp', [
      ...['key.pem', 'cert.pem'].map((name) => path.join(folder.path, name)),
      `${data}/postgres/data/`,
    ])
    spawnSync('chown', ['--reference', `${data}/postgres/data`, `${data}/postgres/data/key.pem`])
    await chmod(`${data}/postgres/data/key.pem`, 0o600)
    const settings = { fsync: 'off', ssl: 'on', ssl_cert_file: 'cert.pem', ssl_key_file: 'key.pem' }
    const server = await startEmbedded({ dataDir: data, log: recordedLog(), clock, entropy, settings })
    const caFile = path.join(folder.path, 'cert.pem')
    const byName = server.url.replace('127.0.0.1', 'localhost')
    const answer = async (url: string, tls: Tls) => {
      try {
        const database = await open(url, { tls, reachableWithinMs: 3_000 })
        const { rows } = await database.query<{ ssl: boolean }>(encrypted)
        await database.close()
        return rows[0]?.ssl ? 'encrypted' : 'plain'
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    try {
      expect(await answer(server.url, { mode: 'disable' })).toBe('plain')
      expect(await answer(server.url, { mode: 'prefer' })).toBe('encrypted')
      expect(await answer(server.url, { mode: 'require' })).toBe('encrypted')
      expect(await answer(server.url, { mode: 'verify-ca' })).toBe('E_LEDGER_REFUSED')
      expect(await answer(server.url, { mode: 'verify-ca', caFile })).toBe('encrypted')
      expect(await answer(server.url, { mode: 'verify-full', caFile })).toBe('E_LEDGER_REFUSED')
      expect(await answer(byName, { mode: 'verify-full', caFile })).toBe('encrypted')
      expect(await answer(`${byName}?sslmode=verify-full&sslrootcert=${caFile}`, {})).toBe('encrypted')
    } finally {
      await server.stop()
    }
  }, 60_000)

  it('is done without when only preferred, and refused when required, where the server has none', async () => {
    const fresh = untilTestEnds(await createEmptyDatabase())
    const database = await open(fresh.url, { tls: { mode: 'prefer' } })
    expect((await database.query(encrypted)).rows).toEqual([{ ssl: false }])
    await database.close()
    await expect(open(fresh.url, { tls: { mode: 'require' } })).rejects.toMatchObject({
      code: 'E_LEDGER_REFUSED',
    })
  })
})

describe('DATABASE_URL', () => {
  it.each([
    ['nonsense', /it is not a URL/],
    ['mysql://me@host/db', /starts with "mysql:"/],
    ['postgres:///db', /names no host/],
    ['postgres://host/db', /names no user/],
    ['postgres://me:50%@host/db', /write %25/],
    ['postgres://me@host/db?sslmode=maybe', /sslmode is "maybe", expected one of disable/],
    ['postgres://me@host/db?sslmod=require', /parameter "sslmod" is not known/],
    ['postgres://me@host/db?sslrootcert=/missing.pem', /\/missing\.pem cannot be read/],
  ])('%s is refused with the reason', (url, message) => {
    expect(() => targetOf(url)).toThrow(message)
  })

  it('is read with its defaults and its escapes', () => {
    expect(targetOf('postgresql://me:p%40ss@[::1]/?sslmode=disable')).toMatchObject({
      host: '::1',
      port: 5432,
      user: 'me',
      password: 'p@ss',
      database: 'me',
      ssl: false,
    })
    expect(targetOf('postgres:///db?host=/run/postgresql&user=me')).toMatchObject({
      host: '/run/postgresql',
      ssl: false,
    })
  })
})
