import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSecretKey, redacted, redactText, redactValue } from './index.ts'

// Joined at run time, so that no scanner takes the corpus for real secrets.
const S = {
  classic: `ghp_${'a1B2c3D4e5'.repeat(4)}`,
  installation: `ghs_${'Z9y8X7w6V5'.repeat(4)}`,
  oauth: `gho_${'Z9y8X7w6V5'.repeat(4)}`,
  fine: `github_pat_${'11ABCDEFG0'.repeat(3)}_${'abcDEF1234'.repeat(5)}`,
  gitlab: `glpat-${'x1Y2z3'.repeat(4)}`,
  jwt: `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJ${'zdWIiOiIxMjM0NTY3ODkwIn0'}.${'dozjgNryP4J3jVmNHl0w5N'}`,
  jit: `eyJ${'LnJ1bm5lciI6'.repeat(30)}==`,
  aws: `AKIA${'IOSFODNN7EXAMPLE'}`,
  slack: `xoxb-${'123456789012'.repeat(2)}`,
  password: 'correct-horse-battery',
  key: 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
}
const pem = [
  '-----BEGIN RSA PRIVATE KEY-----',
  S.key,
  S.key,
  'c2hvcnQ=',
  '-----END RSA PRIVATE KEY-----',
].join('\n')

const leaks: readonly [title: string, text: string, secret: string][] = [
  ['a classic token', `using ${S.classic} now`, S.classic],
  ['an installation token', `token ${S.installation}`, S.installation],
  ['an OAuth token behind other letters', `x_${S.oauth}`, S.oauth],
  ['a fine-grained token', S.fine, S.fine],
  ['a GitLab token', `PRIVATE-TOKEN ${S.gitlab}`, S.gitlab],
  ['a JWT', `jwt=${S.jwt};`, S.jwt],
  ['a runner configuration', `./run.sh --jitconfig ${S.jit}`, S.jit],
  ['an AWS key id', `id ${S.aws}.`, S.aws],
  ['a Slack token', S.slack, S.slack],
  ['a bearer token', 'Bearer abcdefghijkl123456', 'abcdefghijkl123456'],
  ['a header in curl output', '> Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['a header in JSON', '{"Authorization":"token deadbeefcafe"}', 'deadbeefcafe'],
  ['a header in JSON in JSON', '{\\"authorization\\":\\"Bearer deadbeefcafe\\"}', 'deadbeefcafe'],
  ['a password in a URL', `postgres://holdfast:${S.password}@db:5432/x`, S.password],
  ['a password with @ in a URL', 'postgres://holdfast:p@ss@w0rd@db/x', 'w0rd'],
  ['a password in a git URL', `https://x-access-token:${S.password}@github.com/o/r`, S.password],
  ['an assignment', `DB_PASSWORD=${S.password}`, S.password],
  ['an assignment with spaces', `aws_secret_access_key = ${S.password}`, S.password],
  ['a query parameter', `GET /x?access_token=${S.password}&page=2`, S.password],
  ['a quoted field', `"client_secret": "${S.password}"`, S.password],
  ['a PEM block', `key:\n${pem}\nrest`, S.key],
  ['a PEM block inside JSON', JSON.stringify({ body: pem }), S.key],
  ['a PEM block without its end', pem.slice(0, 80), S.key.slice(0, 20)],
  ['a PEM block without its begin', pem.slice(40), 'c2hvcnQ='],
  ['the second of two PEM blocks', `${pem}\n${pem}`, S.key],
]

const harmless = [
  'Runner lost communication with the server',
  'signal: SIGTERM after 30 s',
  'The token expired; the secret is missing.',
  'https://packages.example.org:443/@scope/pkg and http://127.0.0.1:8480/readyz',
  'sha 3f786850e387550fdab836ed7e6dc881de23001b',
  'job 9c0e2b2c-5f0e-4c7e-9a57-0d9f6d4b7c11 claimed by runner local-7',
  'Basic authentication is off',
]

describe('redactText', () => {
  it.each(leaks)('hides %s', (_title, text, secret) => {
    expect(text).toContain(secret)
    const shown = redactText(text)
    expect(shown).not.toContain(secret)
    expect(shown).toContain(redacted)
  })

  it.each(harmless)('leaves alone: %s', (text) => {
    expect(redactText(text)).toBe(text)
  })

  it('keeps what stands around a secret', () => {
    expect(redactText(`before ${S.classic} after`)).toBe(`before ${redacted} after`)
    expect(redactText(`key:\n${pem}\nrest`)).toBe(`key:\n${redacted}\nrest`)
    expect(redactText(`${pem.slice(40)}\nrest`)).toBe(`${redacted}\nrest`)
  })

  it('cuts long text, and hides a secret that the cut would halve', () => {
    const shown = redactText(`${'x '.repeat(50)}${S.classic} tail`, 110)
    expect(shown).toMatch(/… \(cut, \d+ characters\)$/)
    expect(shown).not.toContain('ghp_')
  })

  it('hides a token wherever it stands in a text of other words', () => {
    const words = fc.array(fc.constantFrom('a', ' ', '\n', ':', '"', '=', '@', '/', 'token', 'http://'), {
      maxLength: 40,
    })
    const property = fc.property(words, words, (before, after) => {
      expect(redactText(`${before.join('')} ${S.classic} ${after.join('')}`)).not.toContain(S.classic)
    })
    fc.assert(property, { numRuns: 500 })
  })
})

describe('redactValue', () => {
  it('hides values by their key at any depth, whatever the spelling', () => {
    const value = {
      headers: { Authorization: 'x', 'set-cookie': ['y'] },
      list: [{ encoded_jit_config: 'z', PGPASSWORD: 1 }],
    }
    expect(redactValue(value)).toEqual({
      headers: { Authorization: redacted, 'set-cookie': redacted },
      list: [{ encoded_jit_config: redacted, PGPASSWORD: redacted }],
    })
  })

  it('shows what only sounds secret', () => {
    const value = {
      tokenFile: '/run/t',
      keyId: 'k1',
      token: undefined,
      secret: false,
      keys: 3,
      jitDeliveredAt: 5,
    }
    expect(redactValue(value)).toEqual(value)
    expect(isSecretKey('tokens_total')).toBe(false)
  })

  it('hides secrets in errors, their causes and their own fields', () => {
    const cause = Object.assign(new Error(`no route to postgres://u:${S.password}@db/x`), {
      code: 'ECONNREFUSED',
    })
    const shown = redactValue({ err: new Error(`sent ${S.classic}`, { cause }) })
    expect(JSON.stringify(shown)).not.toMatch(/ghp_|correct-horse/)
    expect(shown).toMatchObject({
      err: { name: 'Error', message: `sent ${redacted}`, cause: { code: 'ECONNREFUSED' } },
    })
  })

  it('hides secrets in maps, sets, URLs and names of fields', () => {
    const value = {
      map: new Map([['token', 'x']]),
      set: new Set([S.aws]),
      url: new URL(`https://u:${S.password}@host/`),
      [S.classic]: 1,
    }
    expect(redactValue(value)).toEqual({
      map: { token: redacted },
      set: [redacted],
      url: `https://u:${redacted}@host/`,
      [redacted]: 1,
    })
  })

  it('ends on circles, deep nests, throwing getters, bytes and big data', () => {
    const circle: Record<string, unknown> = { bytes: new Uint8Array(3), big: 1n }
    circle.self = circle
    Object.defineProperty(circle, 'bad', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    })
    expect(redactValue({ nest: circle })).toEqual({ nest: '[unreadable]' })
    const list = redactValue(Array.from({ length: 100_000 }, () => 'x'.repeat(10_000)))
    expect(JSON.stringify(list).length).toBeLessThan(100_000)
    const loop: Record<string, unknown> = { bytes: new Uint8Array(3), big: 1n }
    loop.self = loop
    expect(redactValue(loop)).toMatchObject({ bytes: '[3 bytes]', big: '1', self: { bytes: '[3 bytes]' } })
  })
})
