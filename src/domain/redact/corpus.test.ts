import { describe, expect, it } from 'vitest'
import { growth, linearAtMost } from '../../../test/support/growth.ts'
import { redacted, redactText } from './index.ts'
import { hex40, json, key, mixed, secrets } from './testing/corpus.ts'

const survivors = [
  'task-runner-controller-manager-0 is disk-pressure-free and risk-assessment-completed',
  'npm_config_user_agent=npm/10 npm_lifecycle_event=test npm_package_json=/x/package.json',
  'pypi-attestations-0.0.20 was installed',
  `commit ${hex40}`,
  `sha256:${'0123456789abcdef'.repeat(4)}`,
  'HEAD is now at 3f78685 Fix the token parser',
  'ghost_protocol and weighs_much',
  'glib-2.0 glibc-2.36 glpk-utils',
  'docker run -p 8080:80 --name web nginx',
  'https://example.org:8443/path?page=2&sort=name',
  'user@example.org wrote to git@github.com:acme/app.git',
  '##[error]Process completed with exit code 137.',
  'The runner has received a shutdown signal.',
  'npm error code EMFILE too many open files',
  'Error: token is missing; secret not found; password required',
  'fatal: the signal 9 (SIGKILL) ended cc1plus',
  'Memory cgroup out of memory: Killed process 4711 (node) total-vm:8000000kB, anon-rss:4000000kB',
  '2026-11-16T03:00:00Z RUNNER_VITALS mem=104857600 oom_kill=0 cpu=12 fds=64',
  'uid 0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0 node ip-10-0-0-1.eu-central-1.compute.internal',
  'npm run build -- --no-token-check --secret-scanning',
  'PWD=/home/runner/work/app OLDPWD=/home/runner INIT_CWD=/home/runner',
  'docker run -u 1000:1000 --user 1001:121 alpine',
  'mkdir -p/tmp/x && mkdir -p build/output && ssh -p2222 host',
  'mysql -h db -e "select 1" -p',
  'https://ci@git.example/acme/app and ssh://git@git.example:2222/acme/app',
  'tests: pass: 120 fail: 0; bypass=enabled; compass: north-east',
  'PASS src/components/checkout/PaymentMethodSelector.test.ts',
  'password=null DB_PASS=false; Password: none',
  'src/components/checkout/PaymentMethodSelector/PaymentMethodSelector/index/styles/module',
]

describe('the corpus', () => {
  it.each(secrets)('hides %s', (_title, text, secret) => {
    expect(text).toContain(secret)
    const shown = redactText(text)
    expect(shown).not.toContain(secret)
    expect(shown).toContain(redacted)
  })

  it.each(secrets)('hides %s in the middle of a log', (_title, text, secret) => {
    const log = `2026-11-16T03:00:00Z begin\n${text}\n2026-11-16T03:00:01Z end of it`
    const shown = redactText(log)
    expect(shown).not.toContain(secret)
    expect(shown).toMatch(/^2026-11-16T03:00:00Z begin\n[\s\S]*\n2026-11-16T03:00:01Z end of it$/)
  })

  it.each(secrets)('changes nothing more of %s where it passes a second border', (_title, text) => {
    const once = redactText(text)
    expect(redactText(once)).toBe(once)
  })

  it.each(survivors)('leaves alone: %s', (text) => {
    expect(redactText(text)).toBe(text)
  })

  it('does not hide the rest of a log behind a block that never ends', () => {
    const log = `-----BEGIN PRIVATE KEY-----\n${key}\n${key}\nthen it was killed: signal 9`
    expect(redactText(log)).toBe(`${redacted}\nthen it was killed: signal 9`)
  })
})

/** A runner's configuration as GitHub makes it: base64 of JSON, of which more base64 is a part. */
const inner = Buffer.from(json({ d: mixed.repeat(12), clientId: hex40 })).toString('base64')
const jit = Buffer.from(json({ '.runner': inner, '.credentials_rsaparams': inner })).toString('base64')
const folded = (width: number, text = jit) => text.replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\n')

/** Pieces that are long enough to matter and are still there. */
function shownOf(shown: string): string[] {
  const pieces = Array.from({ length: jit.length - 24 }, (_, at) => jit.slice(at, at + 24))
  return pieces.filter((piece) => shown.includes(piece))
}

describe("a runner's configuration that its job prints", () => {
  it.each([
    ['in one', jit],
    ['in lines as base64 breaks them', folded(76)],
    ['as PEM does', folded(64)],
    ['with Windows line ends', folded(76).replaceAll('\n', '\r\n')],
    ['indented', folded(76).replaceAll('\n', '\n    ')],
    ['behind a word', `config: ${folded(100)}`],
    ['of which the first is cut away', folded(76).slice(77)],
    ['in short ones', folded(30)],
  ])('is hidden: %s', (_, text) => {
    const log = `2026-11-16T03:00:00Z begin\n${text}\n2026-11-16T03:00:01Z end of it`
    const shown = redactText(log)
    expect(shownOf(shown)).toEqual([])
    expect(shown).toMatch(/^2026-11-16T03:00:00Z begin\n/)
    expect(shown).toMatch(/\n2026-11-16T03:00:01Z end of it$/)
  })

  it('does not hide lists of hashes, names or paths for it', () => {
    const sum = '0123456789abcdef'.repeat(4)
    const path = `src/components/checkout/PaymentMethodSelector/PaymentMethodSelector-spec-${mixed}`
    for (const text of [
      `${sum}\n${sum}\n${sum}\n`,
      `${path}\nand so on\n`,
      `${'='.repeat(70)}\n${'='.repeat(70)}`,
    ])
      expect(redactText(text)).toBe(text)
  })
})

/** Repeated, each makes some pattern begin and fail again and again. */
const pieces = [
  ...[
    'a',
    'eyJ',
    'ghp_',
    'token=',
    `eyJ${mixed.repeat(4)}\n`,
    `eyJ${mixed.repeat(4)}\n${mixed.repeat(4)}!\n`,
    `${mixed.repeat(4)}\n`,
    'a:',
    '://',
    'http://a:',
    ' ',
    'a-',
    '--token ',
    '-a-',
    'login x ',
    'login ',
  ],
  ...['-----BEGIN ', '-----BEGIN \n', '-----END \n', 'AAAA\n', 'AAAA\n-----END \n', '-----BEGIN \nAAAA\n'],
  ...[
    'http://a:bbbbbbbb',
    'bearer ',
    'authorization:',
    'cookie:',
    'SG.aaaaaaaaaaaaaaaaaaaa.',
    'aaa8Q~',
    '"auth":"',
  ],
  ...['mysql ', 'mysql -p', ' -u a:', 'https://a', 'pass=', 'pwd', '\u001b[', '\u001b]', '\u009b0'],
  ...['secret_access_key ', 'hooks.slack.com/services/', 'token ', '[redacted]'],
]

describe('the work', () => {
  // A pattern that backtracks never ends.
  it.each(pieces)('grows with the text of %j, not with its square', (piece) => {
    const grown = growth(piece, 2 ** 19, (text) => redactText(text, text.length))
    expect(grown).toBeLessThan(linearAtMost)
  })
})
