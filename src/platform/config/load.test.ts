import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../domain/errors/index.ts'
import { poolDefaults } from '../../domain/pool/index.ts'
import { type ConfigInputs, loadConfig, printConfig, toPool } from './index.ts'

const configFile = '/home/ada/.local/share/holdfast/holdfast.yaml'
const key = Buffer.alloc(32, 7).toString('base64')

describe('precedence', () => {
  it('needs nothing: every setting has a default', () => {
    const { config, file } = load({})
    expect(config).toMatchObject({
      dataDir: '/home/ada/.local/share/holdfast',
      http: { host: '127.0.0.1', port: 8480 },
      databaseTls: { mode: 'prefer' },
      forge: { kind: 'simulated', simulated: { port: 8481 } },
      pools: [{ name: 'local', labels: ['self-hosted', 'linux', 'local'], minWarm: 1, maxRunners: 4 }],
      dispatch: { pollMs: 55_000 },
    })
    expect(file).toBeUndefined()
  })

  it('takes defaults, then the file, then the environment, then flags', () => {
    const files = { [configFile]: 'http:\n  port: 1\n  host: file\nlog:\n  level: warn\n' }
    const env = { HOLDFAST_HTTP_PORT: '2', HOLDFAST_HTTP_HOST: 'env' }
    const { config, origins } = load({ files, env, flags: { 'http.port': '3' } })
    expect(config.http).toEqual({ host: 'env', port: 3 })
    expect(config.log).toEqual({ level: 'warn', format: 'auto' })
    expect(origins.get('http.port')).toEqual({ kind: 'flag', name: '--http-port' })
    expect(origins.get('http.host')).toEqual({ kind: 'env', name: 'HOLDFAST_HTTP_HOST' })
    expect(origins.get('log.level')).toEqual({ kind: 'file', file: configFile, line: 5 })
    expect(origins.get('log.format')).toEqual({ kind: 'default' })
  })

  it('reads the file that --config names before the one that HOLDFAST_CONFIG names', () => {
    const files = {
      '/a.yaml': 'http: { port: 1 }',
      '/b.yaml': 'http: { port: 2 }',
      [configFile]: 'http: { port: 3 }',
    }
    const env = { HOLDFAST_CONFIG: '/b.yaml' }
    expect(load({ files, env, flags: { config: '/a.yaml' } }).config.http.port).toBe(1)
    expect(load({ files, env }).config.http.port).toBe(2)
    expect(load({ files }).config.http.port).toBe(3)
  })

  it('looks for the file in the data folder that the environment names', () => {
    const loaded = load({
      files: { '/d/holdfast.yaml': 'http: { port: 9 }' },
      env: { HOLDFAST_DATA_DIR: '/d' },
    })
    expect(loaded.config).toMatchObject({ dataDir: '/d', http: { port: 9 } })
  })

  it('takes DATABASE_URL, and HOLDFAST_DATABASE_URL before it', () => {
    expect(load({ env: { DATABASE_URL: 'postgres://a/x' } }).config.databaseUrl).toBe('postgres://a/x')
    const both = { DATABASE_URL: 'postgres://a/x', HOLDFAST_DATABASE_URL: 'postgres://b/x' }
    expect(load({ env: both }).config.databaseUrl).toBe('postgres://b/x')
  })

  it('takes an empty environment value and an empty section of the file as not set', () => {
    const loaded = load({
      files: { [configFile]: 'http:\n  # port: 1\nlog:\n  level:\n' },
      env: { HOLDFAST_HTTP_PORT: '' },
    })
    expect(loaded.config.http.port).toBe(8480)
    expect(loaded.config.log.level).toBe('info')
  })

  it('reads lists and maps from the environment, with commas or as YAML', () => {
    const env = {
      HOLDFAST_FORGE_WEBHOOK_SECRETS: 'one, two',
      HOLDFAST_POOLS: '[{"name": "gpu", "labels": ["gpu"]}]',
      HOLDFAST_KEYS_RING: `{k1: ${key}}`,
      HOLDFAST_KEYS_CURRENT: 'k1',
    }
    const { config } = load({ env })
    expect(config.forge.webhookSecrets).toEqual(['one', 'two'])
    expect(config.pools[0]).toMatchObject({
      name: 'gpu',
      maxRunners: 4,
      fairness: { weights: {}, ageingMinutes: 30 },
    })
    expect(config.keys).toEqual({ current: 'k1', ring: { k1: key } })
  })

  it('gives a pool its runner group where the forge has groups', () => {
    const text =
      'forge: { kind: github, token: x, webhookSecrets: [a-long-enough-one], scope: organisation }\n' +
      'pools: [{ name: a, labels: [x], runnerGroup: Fast }]'
    const [pool] = load({ files: { [configFile]: text } }).config.pools
    expect(pool && toPool(pool).runnerGroup).toBe('Fast')
  })

  it('gives pools in the terms of the domain', () => {
    const [pool] = load({
      files: {
        [configFile]: 'pools: [{ name: a, labels: [x], fairness: { capPerOwner: 2, ageingMinutes: 5 } }]',
      },
    }).config.pools
    expect(pool && toPool(pool)).toEqual({
      ...poolDefaults,
      provisioning: { ...poolDefaults.provisioning, startDeadlineMs: 30_000 },
      name: 'a',
      labels: ['x'],
      minWarm: 1,
      maxRunners: 4,
      fairness: { weights: {}, capPerRepository: null, capPerOwner: 2, ageingMs: 300_000 },
      priorities: [],
    })
  })

  it('takes what only pods or only local runners have, under the rules of RunnerPools', () => {
    const text =
      'pools: [{ name: a, labels: [x], image: "runner:1", limits: { cpus: 2 }, runnerCommand: [run] }]'
    expect(load({ files: { [configFile]: text } }).config.pools).toMatchObject([
      { image: 'runner:1', shape: 'isolated', limits: { cpus: 2 }, runnerCommand: ['run'] },
    ])
    const wrong =
      'pools: [{ name: a, labels: [x], minWarm: 5, warmWindows: [{ cron: x, durationMinutes: 1, minWarm: 1 }] }]'
    expect(problems({ files: { [configFile]: wrong } })).toEqual([
      `pools[0].warmWindows[0].cron (${configFile}:1): got "x", expected five fields (minute, hour, day of the month, month, day of the week), not 1`,
      `pools[0].minWarm (${configFile}:1): got 5, expected at most maxRunners`,
    ])
  })

  it('keeps the data of root in /var/lib and honours XDG_DATA_HOME for others', () => {
    expect(load({ isRoot: true }).config.dataDir).toBe('/var/lib/holdfast')
    expect(load({ env: { XDG_DATA_HOME: '/xdg' } }).config.dataDir).toBe('/xdg/holdfast')
  })

  it('says that dataDir is needed where no home is known', () => {
    expect(problems({ env: { HOME: undefined } })).toEqual([
      'dataDir (default): got nothing, expected a folder: set HOLDFAST_DATA_DIR, since no home folder is known here',
    ])
  })
})

describe('problems', () => {
  it('come all in one report, each with path, source, got and expected', () => {
    const files = {
      [configFile]: [
        'http:',
        '  prot: 1',
        'log:',
        '  level: loud',
        'pools:',
        '  - name: A b',
        '    labels: []',
        'dispach: {}',
      ].join('\n'),
    }
    const env = { HOLDFAST_HTTP_PORT: 'eighty', HOLDFAST_LOG_FROMAT: 'json' }
    expect(problems({ files, env, flags: { 'retention.historyDays': '0', nope: '1' } }).toSorted()).toEqual([
      'HOLDFAST_LOG_FROMAT (environment): got an unknown name, expected a known name; did you mean HOLDFAST_LOG_FORMAT?',
      `dispach (${configFile}:8): got an unknown key, expected a known name; did you mean dispatch?`,
      'http.port (HOLDFAST_HTTP_PORT): got "eighty", expected an integer from 0 to 65535',
      `http.prot (${configFile}:2): got an unknown key, expected a known name; did you mean port?`,
      `log.level (${configFile}:4): got "loud", expected one of debug, info, warn, error`,
      'nope (command line): got an unknown name, expected a name from docs/reference/config.md',
      `pools[0].labels (${configFile}:7): got [], expected a list (1 to 50) of texts`,
      `pools[0].name (${configFile}:6): got "A b", expected lower-case letters, digits and inner hyphens, at most 40`,
      'retention.historyDays (--retention-history-days): got 0, expected an integer of at least 1',
    ])
  })

  it('name the addresses that pods need, since none of them can be guessed', () => {
    const env = { HOLDFAST_FLEET_KIND: 'kubernetes' }
    expect(problems({ env })).toEqual([
      expect.stringMatching(/^fleet\.serverUrl .* pods reach Holdfast/),
      expect.stringMatching(/^forge\.simulated\.runnersUrl .* pods reach the simulated forge/),
    ])
    const reachable = { ...env, HOLDFAST_HTTP_PUBLIC_URL: 'https://holdfast.example' }
    const elsewhere = { ...reachable, HOLDFAST_FORGE_URL: 'http://forge.example' }
    expect(problems({ env: reachable })).toHaveLength(1)
    expect(load({ env: elsewhere }).config.fleet.kind).toBe('kubernetes')
  })

  it('exit with the code of a bad configuration', () => {
    expect(refusal({ env: { HOLDFAST_HTTP_PORT: 'x' } }).entry.exitCode).toBe(3)
  })

  it('name a wrong section once, even if the environment sets something in it', () => {
    const found = problems({ files: { [configFile]: 'http: 5' }, env: { HOLDFAST_HTTP_PORT: '1' } })
    expect(found).toEqual([
      `http (${configFile}:1): got 5, expected a map with host, port, publicUrl, operatorToken`,
    ])
  })

  it('name a file that is missing, not readable, too long or not YAML, without quoting it', () => {
    expect(problems({ flags: { config: '/none' } })).toEqual([
      '/none: got no such file, expected a YAML file',
    ])
    expect(problems({ flags: { config: '/denied' } })).toEqual([
      '/denied: got EACCES, expected a file that may be read',
    ])
    expect(problems({ files: { [configFile]: '#'.repeat(2 ** 21) } })[0]).toContain('got 2097152 characters')
    expect(problems({ files: { [configFile]: 'forge:\n  token: "s3cr3t\n' } })).toEqual([
      `${configFile} (${configFile}:3): got missing char, expected valid YAML`,
    ])
    expect(problems({ files: { [configFile]: 'forge:\n  token: *s3cr3t\n' } })[0]).not.toContain('s3cr3t')
    expect(problems({ files: { [configFile]: '- a' } })).toEqual([
      `${configFile} (${configFile}:1): got no map, expected a map of settings`,
    ])
  })

  it.each([
    ['databaseTls: { caFile: /ca.pem }', 'databaseTls.caFile'],
    ['databaseTls: { certFile: /c.pem }', 'databaseTls.keyFile'],
    ['forge: { kind: github, webhookSecrets: [a-long-enough-one] }', 'forge.token'],
    ['forge: { kind: github, token: x }', 'forge.webhookSecrets'],
    ['forge: { kind: github, token: x, webhookSecrets: [short] }', 'forge.webhookSecrets'],
    ['forge: { url: "ftp://x" }', 'forge.url'],
    ['forge: { kind: gitea, token: x, webhookSecrets: [a-long-enough-one] }', 'forge.url'],
    ['forge: { kind: gitea, url: "http://x", webhookSecrets: [a-long-enough-one] }', 'forge.token'],
    ['forge: { app: { id: "1" } }', 'forge.app.privateKey'],
    ['forge: { scope: enterprise }', 'forge.enterprise'],
    ['keys: { current: k1 }', 'keys.current'],
    [`keys: { ring: { k1: ${key} } }`, 'keys.current'],
    ['shutdown: { drainMs: 20000, boundMs: 10000 }', 'shutdown.drainMs'],
    ['pools: [{ name: a, labels: [x], minWarm: 5, maxRunners: 4 }]', 'pools[0].minWarm'],
    ['pools: [{ name: a, labels: [x] }, { name: a, labels: [y] }]', 'pools'],
    ['pools: [{ name: a, labels: [x], fairness: { weights: { o/r: 0 } } }]', 'pools[0].fairness.weights.o/r'],
    [
      'pools: [{ name: a, labels: [x], priorities: [{ repository: "*", class: urgent }] }]',
      'pools[0].priorities[0].class',
    ],
    ['pools: [{ name: a, labels: [x], runnerGroup: Fast }]', 'pools[0].runnerGroup'],
    [
      'forge: { kind: gitea, url: "http://x", token: x, webhookSecrets: [a-long-enough-one], scope: organisation }\n' +
        'pools: [{ name: a, labels: [x], runnerGroup: Fast }]',
      'pools[0].runnerGroup',
    ],
    ['pools: []', 'pools'],
  ])('refuse %s', (yaml, path) => {
    const found = problems({ files: { [configFile]: yaml } })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(new RegExp(`^${path.replace(/[[\]]/g, '\\$&')} \\(`))
  })

  it('do not come from the variables that Kubernetes adds for a service called holdfast', () => {
    const env = {
      HOLDFAST_SERVICE_HOST: '10.0.0.1',
      HOLDFAST_SERVICE_PORT_HTTP: '80',
      HOLDFAST_PORT: 'tcp://10.0.0.1:80',
      HOLDFAST_PORT_80_TCP_ADDR: '10.0.0.1',
    }
    expect(load({ env }).config.http.port).toBe(8480)
    expect(problems({ env: { HOLDFAST_PORT: '80' } })[0]).toContain('HOLDFAST_PORT')
  })
})

describe('secrets', () => {
  it('never stand in a report', () => {
    const env = {
      DATABASE_URL: 'mysql://u:s3cr3t@h',
      HOLDFAST_KEYS_RING: '{k1: s3cr3t}',
      HOLDFAST_KEYS_CURRENT: 'k1',
      HOLDFAST_FORGE_WEBHOOK_SECRETS: '[{a: s3cr3t}]',
    }
    const found = problems({ env, files: { [configFile]: 'forge: { token: [s3cr3t] }' } })
    expect(found).toHaveLength(4)
    expect(found.join('\n')).not.toContain('s3cr3t')
    expect(found).toContain(
      'keys.ring.k1 (HOLDFAST_KEYS_RING): got a value that is hidden because it is secret, expected base64 of exactly 32 bytes',
    )
  })

  it('may stand in files of their own', () => {
    const files = { '/s/url': 'postgres://h/x\n', '/s/k1': `${key}\n`, '/s/hook': 'hook\n' }
    const yaml =
      'databaseUrl: file:/s/url\nkeys: { current: k1, ring: { k1: "file:/s/k1" } }\nforge: { webhookSecrets: ["file:/s/hook"] }'
    const { config } = load({ files: { ...files, [configFile]: yaml } })
    expect(config.databaseUrl).toBe('postgres://h/x')
    expect(config.keys.ring.k1).toBe(key)
    expect(config.forge.webhookSecrets).toEqual(['hook'])
  })

  it('in a file that is not there are a problem of their own', () => {
    const found = problems({ env: { HOLDFAST_FORGE_TOKEN: 'file:/none' } })
    expect(found).toEqual([
      'forge.token (HOLDFAST_FORGE_TOKEN): got "file:/none", expected a file that is there and may be read',
    ])
  })
})

describe('printConfig', () => {
  it('shows each value and where it came from, secrets masked', () => {
    const files = { [configFile]: 'http: { port: 9 }' }
    const rows = printConfig(
      load({
        files,
        env: {
          DATABASE_URL: 'postgres://u:s3cr3t@h/x',
          HOLDFAST_DATA_DIR: '/home/ada/.local/share/holdfast',
        },
      }),
    )
    const byPath = new Map(rows.map((row) => [row.path, row]))
    expect(byPath.get('http.port')).toMatchObject({
      value: '9',
      origin: `${configFile}:1`,
      env: 'HOLDFAST_HTTP_PORT',
    })
    expect(byPath.get('databaseUrl')).toMatchObject({ value: '(hidden)', origin: 'DATABASE_URL' })
    expect(byPath.get('forge.token')).toMatchObject({ value: '(not set)', origin: 'default' })
    expect(byPath.get('keys.ring')).toMatchObject({ value: '(not set)' })
    expect(JSON.stringify(rows)).not.toContain('s3cr3t')
    expect(rows.every((row) => row.description.length > 0)).toBe(true)
  })
})

interface Given extends Partial<Pick<ConfigInputs, 'env' | 'flags' | 'isRoot'>> {
  readonly files?: Readonly<Record<string, string>>
}

function load({ files = {}, env = {}, flags = {}, isRoot = false }: Given) {
  return loadConfig({ env: { HOME: '/home/ada', ...env }, flags, isRoot, readFile })

  function readFile(path: string): string | undefined {
    if (path === '/denied') throw Object.assign(new Error('denied'), { code: 'EACCES' })
    return files[path]
  }
}

function refusal(given: Given): HoldfastError {
  try {
    load(given)
  } catch (error) {
    if (error instanceof HoldfastError) return error
    throw error
  }
  throw new Error('the configuration was accepted')
}

function problems(given: Given): string[] {
  return [...(refusal(given).params.problems as readonly string[])]
}
