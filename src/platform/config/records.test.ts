import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../domain/errors/index.ts'
import { loadConfig, printConfig, secretValues } from './index.ts'

const configFile = '/home/ada/.local/share/holdfast/holdfast.yaml'

function load(yaml: string, env: Record<string, string> = {}, files: Record<string, string> = {}) {
  const all: Record<string, string> = { [configFile]: yaml, ...files }
  return loadConfig({
    env: { HOME: '/home/ada', ...env },
    flags: {},
    readFile: (file) => all[file],
    isRoot: false,
  })
}

function problemOf(yaml: string, env: Record<string, string> = {}): string {
  try {
    load(yaml, env)
  } catch (error) {
    if (error instanceof HoldfastError) return error.message
    throw error
  }
  return 'no problem'
}

const store = 'records: { sink: s3, s3: { bucket: evidence, accessKeyId: an-id'

describe('the settings of masking', () => {
  it('take patterns from the file and from the environment', () => {
    expect(load("redaction:\n  patterns: ['ACME-\\d{4}', '(?i)badge']").config.redaction.patterns).toEqual([
      'ACME-\\d{4}',
      '(?i)badge',
    ])
    const env = { HOLDFAST_REDACTION_PATTERNS: '["a{1,2}"]' }
    expect(load('', env).config.redaction.patterns).toEqual(['a{1,2}'])
  })

  it.each([
    ['(a', '"(" without its ")"'],
    ['(?=a)b', 'a look around'],
    ['(a)\\1', 'a back-reference'],
    ['a*', 'no characters at all'],
    ['(?:a{99}){99}', 'steps'],
  ])('refuse %s at the start, with its place and the reason', (pattern, reason) => {
    const problem = problemOf(`redaction:\n  patterns:\n    - ok\n    - '${pattern}'`)
    expect(problem).toContain('redaction.patterns[1]')
    expect(problem).toContain(reason)
    expect(problem).toContain('holdfast.yaml:4')
  })

  it('refuse more patterns than there may be', () => {
    const patterns = Array.from({ length: 51 }, (_, n) => `a${n}`)
    expect(problemOf(`redaction: { patterns: [${patterns.join()}] }`)).toContain('more than 50 patterns')
  })
})

describe('the settings of the sink', () => {
  it('write nowhere unless it is said', () => {
    expect(load('').config.records).toMatchObject({
      sink: 'none',
      s3: { prefix: 'deaths', region: 'us-east-1' },
    })
  })

  it('take the key from a file, and never show it', () => {
    const loaded = load(
      `${store}, secretAccessKey: 'file:/run/key' } }`,
      {},
      { '/run/key': 'correct-horse\n' },
    )
    expect(loaded.config.records.s3.secretAccessKey).toBe('correct-horse')
    expect(JSON.stringify(printConfig(loaded))).not.toContain('correct-horse')
    expect(secretValues(loaded.config)).toContain('correct-horse')
  })

  it.each([
    ['records: { sink: s3 }', 'records.s3.bucket'],
    ['records: { sink: s3, s3: { bucket: evidence } }', 'records.s3.accessKeyId'],
    [`${store} } }`, 'records.s3.secretAccessKey'],
    [`${store}, secretAccessKey: x, prefix: /a } }`, 'records.s3.prefix'],
    [`${store}, secretAccessKey: x, endpoint: 'https://u:p@store' } }`, 'records.s3.endpoint'],
    ['records: { sink: s4 }', 'records.sink'],
  ])('refuse %s', (yaml, path) => {
    expect(problemOf(yaml)).toContain(path)
  })
})

describe('the secrets of a configuration', () => {
  it('are all known, also the password in an address', () => {
    const { config } = load('forge: { token: a-long-token, webhookSecrets: [hook-secret] }', {
      DATABASE_URL: 'postgres://u:p%40ssw0rd@db/x',
    })
    expect(secretValues(config)).toEqual(expect.arrayContaining(['a-long-token', 'hook-secret', 'p@ssw0rd']))
  })
})
