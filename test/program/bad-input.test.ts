import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { freePort } from '../../src/main/machine/free-port.ts'
import { ask, isRoot, normalUser } from '../support/embedded.ts'
import { createDatabase, createEmptyDatabase } from '../support/postgres.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { newPlace, type Place } from './support/place.ts'
import { type Ended, launch } from './support/program.ts'
import { startProgram } from './support/start-program.ts'

const somebody = isRoot ? normalUser() : undefined

describe('settings that cannot be used', { timeout: 30_000 }, () => {
  it('are reported all at once, each with its place and what was meant', async () => {
    const place = untilTestEnds(await newPlace())
    await mkdir(place.dataDir)
    const file = path.join(place.dataDir, 'holdfast.yaml')
    await writeFile(file, 'http:\n  prot: 80\nlog:\n  level: loud\n')
    const { code, err } = await up(place, { HOLDFAST_HTPP_PORT: '1', HOLDFAST_HTTP_PORT: '99999' })
    expect(code).toBe(3)
    expect(err.split('\n')).toEqual(
      expect.arrayContaining([
        'E_CONFIG_INVALID The configuration is not usable:',
        `  - http.prot (${file}:2): got an unknown key, expected a known name; did you mean port?`,
        `  - log.level (${file}:4): got "loud", expected one of debug, info, warn, error`,
        '  - http.port (HOLDFAST_HTTP_PORT): got 99999, expected an integer from 0 to 65535',
        '  - HOLDFAST_HTPP_PORT (environment): got an unknown name, expected a known name; did you mean HOLDFAST_HTTP_PORT?',
      ]),
    )
  })

  it('are also those with which the forge could keep no job (jobs of real length: `npm run test:user`)', async () => {
    const place = untilTestEnds(await newPlace())
    const { code, err } = await up(place, { HOLDFAST_FORGE_SIMULATED_LOCK_RENEW_TIMEOUT_MS: '50' })
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('lockRenewTimeoutMs') })
  })
})

describe.runIf(isRoot)('jobs of a real forge as root', { timeout: 30_000 }, () => {
  it('are refused before anything is made, where runners cannot be users of their own', async () => {
    const place = untilTestEnds(await newPlace())
    const forge = {
      HOLDFAST_FORGE_KIND: 'gitea',
      HOLDFAST_FORGE_URL: 'http://127.0.0.1:9',
      HOLDFAST_FORGE_TOKEN: randomBytes(20).toString('hex'),
      HOLDFAST_FORGE_WEBHOOK_SECRETS: randomBytes(20).toString('hex'),
    }
    const { code, err } = await up(place, { ...forge, HOLDFAST_RUNNERS_ISOLATION: 'off' })
    expect(err).toContain('E_ROOT_RUNNERS Jobs of gitea would run as root on this machine.')
    expect(err).toContain('--allow-root-runners')
    expect(code).toBe(3)
    await expect(readdir(path.join(place.dataDir, 'postgres'))).rejects.toThrow('ENOENT')
  })
})

describe.runIf(isRoot)('a user for runners that is not there', { timeout: 30_000 }, () => {
  it('is refused with every forge: jobs would be root instead', async () => {
    const place = untilTestEnds(await newPlace())
    const { code, err } = await up(place, { HOLDFAST_RUNNERS_RUN_AS: 'holdfast-is-not-here' })
    expect(err).toContain('E_ROOT_RUNNERS')
    expect(err).toContain('there is no user holdfast-is-not-here')
    expect(code).toBe(3)
  })
})

describe('a port that is in use', { timeout: 30_000 }, () => {
  it.each(['HOLDFAST_HTTP_PORT', 'HOLDFAST_FORGE_SIMULATED_PORT'])('%s is named', async (setting) => {
    const place = untilTestEnds(await newPlace())
    const database = untilTestEnds(await createEmptyDatabase())
    const port = await occupiedPort()
    const { code, err } = await up(place, { DATABASE_URL: database.url, [setting]: String(port) })
    expect(code).toBe(4)
    expect(err).toMatch(
      new RegExp(`E_PORT_IN_USE .*\n.*port ${port} on 127\\.0\\.0\\.1 .*process ${process.pid} `),
    )
    expect(err).toContain('choose another port (--http-port, --forge-simulated-port)')
  })
})

describe('a data folder', { timeout: 40_000 }, () => {
  it.runIf(somebody)('that this user may not write is named, with the user', async () => {
    const place = untilTestEnds(await newPlace(somebody))
    await mkdir(place.dataDir, { mode: 0o755 }) // ours, not theirs
    const { code, err } = await up(place)
    expect(code).toBe(3)
    expect(err).toContain(`E_DATA_DIR_RIGHTS The user with uid ${somebody?.uid} may not use the data folder`)
    expect(err).toContain(place.dataDir)
    expect(err).toContain('name another one with HOLDFAST_DATA_DIR')
  })

  it.runIf(somebody)('that this user may not enter is named', async () => {
    const place = untilTestEnds(await newPlace(somebody))
    await mkdir(place.dataDir, { mode: 0o700 })
    const { code, err } = await up(place)
    expect(code).toBe(3)
    expect(err).toContain(`${path.join(place.dataDir, 'holdfast.yaml')}: got EACCES`)
    expect(err).toContain('or another data folder (HOLDFAST_DATA_DIR)')
  })

  it('of a newer Postgres is refused, with what to do', async () => {
    const place = untilTestEnds(await newPlace())
    const data = path.join(place.dataDir, 'postgres', 'data')
    await mkdir(data, { recursive: true })
    await writeFile(path.join(data, 'PG_VERSION'), '99\n')
    const { code, err } = await up(place)
    expect(code).toBe(5)
    expect(err).toContain(`E_DATA_DIR_VERSION ${data} was written by Postgres 99;`)
    expect(err).toContain('Start the Holdfast that wrote it, or dump it there and restore it here')
  })

  it('in use is refused also where both have a database elsewhere', async () => {
    const place = untilTestEnds(await newPlace())
    const [one, other] = [
      untilTestEnds(await createEmptyDatabase()),
      untilTestEnds(await createEmptyDatabase()),
    ]
    const first = untilTestEnds(await startProgram(place, { env: { DATABASE_URL: one.url } }))
    const ports = { HOLDFAST_HTTP_PORT: '0', HOLDFAST_FORGE_SIMULATED_PORT: '0' }
    const { code, err } = await up(place, { DATABASE_URL: other.url, ...ports })
    expect(code).toBe(5)
    expect(err).toContain(`${place.dataDir} is in use by another Holdfast (process ${first.pid})`)
    expect(await first.end('SIGTERM')).toMatchObject({ code: 0 })
  })
})

describe('a database', { timeout: 30_000 }, () => {
  it('that is not reachable is waited for with a line, for as long as is set, then ends the start with 4', async () => {
    const place = untilTestEnds(await newPlace())
    const port = await freePort('127.0.0.1')
    const password = randomBytes(8).toString('hex')
    const url = `postgres://somebody:${password}@127.0.0.1:${port}/holdfast`
    const { code, err } = await up(place, { DATABASE_URL: url, HOLDFAST_DATABASE_WAIT_MS: '1500' })
    expect(code).toBe(4)
    expect(err).toMatch(/"the ledger's server is not reachable yet; trying for 2 s more"/)
    expect(err).toMatch(
      `E_LEDGER_UNREACHABLE The ledger's server 127.0.0.1:${port}/holdfast was not reachable`,
    )
    expect(err).toContain('Check that the server runs and that DATABASE_URL names its host and port')
    expect(err).not.toContain(password)
  })

  it('that refuses the password is not asked again, and the password is not shown', async () => {
    const place = untilTestEnds(await newPlace())
    const url = new URL(inject('postgresUrl'))
    url.password = randomBytes(8).toString('hex')
    const { code, err } = await up(place, { DATABASE_URL: url.href })
    expect(code).toBe(3)
    expect(err).toMatch(/E_LEDGER_REFUSED .* refused us: password authentication failed for user/)
    expect(err).not.toContain('not reachable yet')
    expect(err).not.toContain(url.password)
  })

  it('that a newer program migrated is refused and not touched', async () => {
    const place = untilTestEnds(await newPlace())
    const database = untilTestEnds(await createDatabase())
    await ask(database.url, `insert into schema_migrations values (9999, 'from_the_future', 'x')`)
    const { code, err } = await up(place, { DATABASE_URL: database.url })
    expect(code).toBe(5)
    expect(err).toContain(`E_LEDGER_NEWER The ledger's schema is at 9999_from_the_future; this program knows`)
    expect(err).toContain('Start a newer holdfast')
    expect(await ask(database.url, 'select count(*)::int as pools from pools')).toEqual([{ pools: 0 }])
  })
})

/** A start that is expected to fail. */
function up(place: Place, env: Record<string, string> = {}): Promise<Ended> {
  return untilTestEnds(launch(place, { args: ['up'], env })).ended
}

async function occupiedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  untilTestEnds({ [Symbol.asyncDispose]: async () => void server.close() })
  return (server.address() as { port: number }).port
}
