import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { operatorToken } from '../../test/support/holdfast-app.ts'
import { type CliBench, createCliBench, roles } from '../../test/support/holdfast-cli.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { CliDeps } from './deps.ts'
import { createCli } from './index.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const refused = async (): Promise<never> => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
}

const startFailed = (cause: Error) => new HoldfastError('E_START_FAILED', { part: 'ledger' }, cause)

describe('help', () => {
  it('of every command fits 80 columns and ends with an example', async () => {
    const names = ['up', 'demo', 'submit', 'jobs', 'job', 'why', 'release', 'runners', 'migrate']
    const ofForge = ['rerun', 'cancel', 'log', 'incidents', 'deliveries', 'deliveries replay']
    const grouped = [
      'forge resync',
      'forge budget',
      'config print',
      'config validate',
      'config schema',
      'keys rotate',
      'sim forge',
    ]
    for (const name of [...names, ...ofForge, ...grouped]) {
      const { code, out } = await cli.run(...name.split(' '), '--help')
      expect(code, name).toBe(0)
      expect(out, name).toMatch(/\nExample:\n {2}\$ .*holdfast /)
      expect(out, name).toContain('--json')
      const longest = Math.max(...out.split('\n').map((line) => line.length))
      expect(longest, name).toBeLessThanOrEqual(80)
    }
  })

  it('has an option for every setting on commands that start something', async () => {
    const { out } = await cli.run('up', '--help')
    for (const flag of [
      '--http-port',
      '--database-url',
      '--forge-simulated-lock-renew-timeout-ms',
      '--pools',
    ]) {
      expect(out).toContain(flag)
    }
    expect((await cli.run('jobs', '--help')).out).not.toContain('--database-url')
  })

  it('is shown, with exit code 2, where no command is given', async () => {
    expect(await cli.run()).toMatchObject({ code: 2, err: expect.stringContaining('Usage: holdfast') })
  })

  it('gives the version', async () => {
    expect(await cli.run('--version')).toEqual({ code: 0, out: '0.1.0\n', err: '' })
  })
})

describe('a command that is not understood', () => {
  it.each([
    [['jbos'], "unknown command 'jbos' (Did you mean jobs?)"],
    [['jobs', '--limti', '3'], "unknown option '--limti' (Did you mean --limit?)"],
    [['jobs', '--limit', '0'], 'Expected a whole number from 1 to 500'],
    [['jobs', '--state', 'asleep'], 'Allowed choices are queued'],
    [['job'], "missing required argument 'id'"],
    [['job', '1', '2'], 'too many arguments'],
  ])('%j exits with 2 and says what is wrong', async (args, words) => {
    const { code, out, err } = await cli.run(...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('E_USAGE The command was not understood: ')
    expect(err).toContain(words)
  })
})

describe('finding the server', () => {
  it('names the remedy where no server answers', async () => {
    const { code, err } = await cli.runWith({ fetch: refused, env: { HOLDFAST_DATA_DIR: '/data' } }, 'jobs')
    expect(code).toBe(4)
    expect(err).toBe(
      `E_SERVER_UNREACHABLE No Holdfast answers at http://127.0.0.1:8480 (as the settings say, because no instance serves /data): ECONNREFUSED.
  hint Is "holdfast up" running? If it listens elsewhere, name it with --url or HOLDFAST_URL.
`,
    )
  })

  it('goes by --url, then HOLDFAST_URL, then the settings', async () => {
    const asked: string[] = []
    const fetch = async (url: unknown) => {
      asked.push(String(url))
      return refused()
    }
    const env = { HOLDFAST_DATA_DIR: '/data', HOLDFAST_HTTP_HOST: '0.0.0.0', HOLDFAST_HTTP_PORT: '1' }
    await cli.runWith({ fetch, env }, 'runners')
    await cli.runWith({ fetch, env }, 'runners', '--http-port', '2')
    await cli.runWith({ fetch, env: { ...env, HOLDFAST_URL: 'http://b:3/' } }, 'runners')
    await cli.runWith(
      { fetch, env: { ...env, HOLDFAST_URL: 'http://b:3/' } },
      'runners',
      '--url',
      'http://c:4',
    )
    expect(asked.map((url) => new URL(url).host)).toEqual(['127.0.0.1:1', '127.0.0.1:2', 'b:3', 'c:4'])
  })

  it('asks a running instance rather than the settings, but before both the server that was named by hand', async () => {
    const here = { pid: 12, url: 'http://127.0.0.1:9001', dataDir: '/here' }
    const usual = { HOME: '/home/somebody' }
    const ask = async (given: Partial<CliDeps>, ...args: string[]) => {
      const asked: string[] = []
      const fetch = async (url: unknown) => {
        asked.push(new URL(String(url)).host)
        return refused()
      }
      const { err, code } = await cli.runWith({ fetch, env: usual, ...given }, 'jobs', ...args)
      return { asked: asked[0], err, code }
    }
    const inFolder = { in: async (folder: string) => (folder === '/data' ? here : null), all: async () => [] }
    const inData = { env: { HOLDFAST_DATA_DIR: '/data' }, instances: inFolder }
    const found = await ask(inData)
    expect([found.asked, found.err]).toEqual([
      '127.0.0.1:9001',
      expect.stringContaining('(process 12 serves /here at http://127.0.0.1:9001): ECONNREFUSED'),
    ])
    expect((await ask(inData, '--http-port', '2')).asked).toBe('127.0.0.1:2')
    expect((await ask(inData, '--url', 'http://c:4')).asked).toBe('c:4')
    // One of this user elsewhere, where no folder was named.
    const instances = { in: async () => null, all: async () => [here] }
    expect((await ask({ instances })).asked).toBe('127.0.0.1:9001')
    expect((await ask({ instances, env: { HOLDFAST_DATA_DIR: '/other' } })).asked).toBe('127.0.0.1:8480')
    const several = await ask({ instances: { ...instances, all: async () => [here, { ...here, pid: 13 }] } })
    expect(several).toMatchObject({ asked: undefined, code: 2 })
    expect(several.err).toContain('E_INSTANCES_SEVERAL')
    expect(several.err).toContain('process 13 serves /here')
  })

  it("sends this machine's token to this machine only, and HOLDFAST_TOKEN anywhere", async () => {
    const shown: (string | null)[] = []
    const fetch = async (_: unknown, init?: RequestInit) => {
      shown.push(new Headers(init?.headers).get('authorization'))
      return refused()
    }
    const env = { HOLDFAST_DATA_DIR: '/data' }
    await cli.runWith({ fetch, env }, 'jobs')
    await cli.runWith({ fetch, env }, 'jobs', '--url', 'http://localhost:1')
    await cli.runWith({ fetch, env }, 'jobs', '--url', 'http://elsewhere:1')
    await cli.runWith(
      { fetch, env: { ...env, HOLDFAST_TOKEN: 'mine' } },
      'jobs',
      '--url',
      'http://elsewhere:1',
    )
    expect(shown).toEqual([`Bearer ${operatorToken}`, `Bearer ${operatorToken}`, null, 'Bearer mine'])
  })

  it('refuses a value that is no URL, and an unknown port', async () => {
    expect((await cli.run('jobs', '--url', 'ftp://x')).code).toBe(2)
    expect((await cli.run('jobs', '--http-port', '0')).err).toContain('name it with --url')
  })

  it('says so where the answer is not from a Holdfast', async () => {
    for (const answer of [
      new Response('<html>'),
      Response.json({ jobs: 1 }),
      new Response('', { status: 418 }),
    ]) {
      const { code, err } = await cli.runWith({ fetch: async () => answer }, 'jobs')
      expect([code, err]).toEqual([4, expect.stringContaining('E_SERVER_ANSWER')])
    }
  })
})

describe('roles', () => {
  it('up gets the configuration from flags and environment, and greets when it serves', async () => {
    const { code, out } = await cli.run('up', '--http-port', '9000')
    expect(code).toBe(0)
    expect(out).toBe(
      `Holdfast serves.
  status page         http://127.0.0.1:9000
  forge               simulated, http://127.0.0.1:8481
  runners             processes of this machine
  ledger              embedded Postgres in /data
  a realistic mix     holdfast demo
  one job             holdfast submit --script 'echo hi' --wait
  what became of it   holdfast jobs --all
  to end              Ctrl-C; a restart goes on where it was
`,
    )
    expect(JSON.parse((await cli.run('up', '--json')).out)).toMatchObject({ dataDir: '/data' })
  })

  it('up takes the shorter name of a setting too', async () => {
    const { out, code } = await cli.run('up', '--forge', 'simulated', '--json')
    expect([code, JSON.parse(out)]).toMatchObject([0, { forge: { kind: 'simulated' } }])
    expect((await cli.run('up', '--forge', 'svn')).err).toContain(
      'forge.kind (--forge-kind): got "svn", expected one of simulated, github, gitea',
    )
    expect((await cli.run('config', 'print', '--forge-kind', 'simulated')).out).toContain(
      'forge.kind = simulated  (--forge-kind)\n',
    )
    expect((await cli.run('up', '--help')).out).toContain('--forge, --forge-kind <value>')
  })

  it('up receives the inputs of its configuration, to read secrets again', async () => {
    let secrets: string | undefined
    const started: typeof roles = {
      ...roles,
      async up(_, __, inputs) {
        secrets = inputs.flags['forge.token']
        return inputs.readFile('/data/operator-token') === undefined ? 1 : 0
      },
    }
    const { code } = await cli.runWith({ roles: started }, 'up', '--forge-token', 'file:/data/operator-token')
    expect([code, secrets]).toEqual([0, 'file:/data/operator-token'])
  })

  it('up exits as its role does, and with the code of the error that it throws', async () => {
    const ended = { ...roles, up: async () => 143 }
    expect((await cli.runWith({ roles: ended }, 'up')).code).toBe(143)
    const failing = {
      ...roles,
      up: async () => {
        throw new HoldfastError('E_PORT_IN_USE', { host: '127.0.0.1', port: 8480 })
      },
    }
    const { code, err } = await cli.runWith({ roles: failing }, 'up')
    expect([code, err]).toEqual([
      4,
      expect.stringContaining('E_PORT_IN_USE Port 8480 on 127.0.0.1 is in use'),
    ])
  })

  it('say why a part did not start, with the hint and the exit code of the cause', async () => {
    const busy = new HoldfastError('E_DATA_DIR_BUSY', { folder: '/data', pid: 12 })
    const failing = { ...roles, up: () => Promise.reject(startFailed(busy)) }
    const { code, err } = await cli.runWith({ roles: failing }, 'up')
    expect({ code, err }).toEqual({
      code: 5,
      err: expect.stringContaining('E_DATA_DIR_BUSY The data folder'),
    })
    expect(err).toContain('hint End that process first')
    const { out } = await cli.runWith({ roles: failing }, 'up', '--json')
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'E_DATA_DIR_BUSY' } })
  })

  it('say which part did not start where the cause has no name of ours', async () => {
    const failing = { ...roles, up: () => Promise.reject(startFailed(new Error('odd'))) }
    const { code, err } = await cli.runWith({ roles: failing }, 'up')
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('E_START_FAILED ledger did not') })
    expect(err).toContain('because odd')
  })

  it('does not start anything with settings that are not usable', async () => {
    const started = { ...roles, up: () => Promise.reject(new Error('was started')) }
    const { code, err } = await cli.runWith({ roles: started }, 'up', '--http-port', 'many')
    expect([code, err]).toEqual([3, expect.stringContaining('http.port (--http-port): got "many"')])
  })

  it('migrate says what was applied, and what would be', async () => {
    expect((await cli.run('migrate')).out).toBe('applied 0001_ledger.sql\n')
    expect((await cli.run('migrate', '--dry-run')).out).toBe('would apply 0001_ledger.sql\n')
    expect(JSON.parse((await cli.run('migrate', '--json')).out)).toEqual({
      applied: ['0001_ledger.sql'],
      pending: [],
    })
    const done = { ...roles, migrate: async () => ({ applied: [], pending: [] }) }
    expect((await cli.runWith({ roles: done }, 'migrate')).out).toBe('The schema is up to date.\n')
  })

  it('keys rotate names the new key, and sim forge says where it serves', async () => {
    expect((await cli.run('keys', 'rotate')).out).toMatch(/^Key key-2 seals from now on/)
    expect((await cli.run('sim', 'forge')).out).toBe('The simulated forge serves at http://127.0.0.1:8481\n')
  })

  it('config validate names every mistake at once with where it stands, and ends with 3', async () => {
    const env = { HOLDFAST_DATA_DIR: '/data', HOLDFAST_HTTP_PROT: '1', HOLDFAST_LOG_LEVEL: 'loud' }
    const readFile = () => 'http:\n  port: x\n'
    const wrong = await cli.runWith({ env, readFile }, 'config', 'validate')
    expect(wrong.code).toBe(3)
    for (const word of ['holdfast.yaml:2', 'HOLDFAST_HTTP_PROT', 'HOLDFAST_LOG_LEVEL', 'expected'])
      expect(wrong.err).toContain(word)
    const json = await cli.runWith({ env, readFile }, 'config', 'validate', '--json')
    expect(json.code).toBe(3)
    const { valid, problems } = JSON.parse(json.out)
    expect(valid).toBe(false)
    expect(problems).toContainEqual(
      expect.objectContaining({ path: 'http.port', source: '/data/holdfast.yaml:2', got: '"x"' }),
    )
    expect(problems).toHaveLength(3)
  })

  it('config validate says that all is well, and config schema prints a schema', async () => {
    expect(await cli.run('config', 'validate')).toMatchObject({
      code: 0,
      out: 'The configuration is usable; there is no file of settings.\n',
    })
    expect(JSON.parse((await cli.run('config', 'schema')).out)).toHaveProperty('properties.http')
  })

  it('config print shows each value and where it came from, and no secret', async () => {
    const args = ['config', 'print', '--http-host', '::1', '--forge-token', 'hush-hush-hush']
    const { out } = await cli.run(...args)
    expect(out).toContain('http.host = ::1  (--http-host)\n')
    expect(out).toContain('dataDir = /data  (HOLDFAST_DATA_DIR)\n')
    expect(out).toContain('forge.token = (hidden)  (--forge-token)\n')
    const json = (await cli.run(...args, '--json')).out
    expect(JSON.parse(json)).toMatchObject({ file: null })
    expect(out + json).not.toContain('hush')
  })
})

describe('createCli', () => {
  it('has an example for every command that can be run', () => {
    const { program, context } = createCli({
      roles,
      env: {},
      readFile: () => undefined,
      readTail: async () => ({ bytes: new Uint8Array(), isCut: false, writtenAt: null }),
      isRoot: false,
      instances: { in: async () => null, all: async () => [] },
      self: 'holdfast',
      stdout: { write: () => {} },
      stderr: { write: () => {} },
      isTerminal: false,
      fetch,
      clock: cli.bench.clock,
      signal: AbortSignal.abort(),
      version: '0.1.0',
    })
    const leaves = program.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one]))
    expect(leaves.map((leaf) => leaf.name())).toContain('replay')
    expect(leaves.filter((leaf) => !context.examples.has(leaf)).map((leaf) => leaf.name())).toEqual([])
  })
})
