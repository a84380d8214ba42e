import { describe, expect, it } from 'vitest'
import { growth, linearAtMost } from '../../../test/support/growth.ts'
import { REDACTED, redactText } from './index.ts'

// Joined at run time, so that no scanner takes the corpus for real secrets.
const mixed = 'a1B2c3D4e5F6g7H8'
const hex40 = '3f786850e387550fdab8'.repeat(2)
const base64 = 'dXNlcjpjb3JyZWN0LWhvcnNl'
const word = 'correct-horse-battery'
const S = {
  classic: `ghp_${mixed.repeat(2)}a1B2`,
  user: `ghu_${mixed.repeat(2)}`,
  refresh: `ghr_${mixed.repeat(4)}`,
  jwtInToken: `ghs_${'123456'}_eyJ${mixed}.eyJ${mixed}.${mixed}`,
  fine: `github_pat_${mixed.repeat(4)}`,
  old: `v1.${hex40}`,
  gitlab: `glpat-${mixed}abcd`,
  gitlabRunner: `glrt-${mixed}_x-y.01.${mixed}`,
  gitlabRegistration: `GR1348941${mixed}abcd`,
  jwt: `eyJ${mixed}.eyJ${mixed}.${mixed}-_`,
  aws: `AKIA${'IOSFODNN7EXAMPLE'}`,
  awsSecret: `wJalrXUtnFEMI/K7MDENG/${'bPxRfiCYEXAMPLEKEY'}`,
  google: `AIza${mixed.repeat(2)}abc`,
  googleOauth: `ya29.${mixed.repeat(2)}`,
  googleClient: `GOCSPX-${mixed}abcdefgh`,
  azure: `abc8Q~${mixed.repeat(2)}ab`,
  azureKey: `${mixed.repeat(5)}==`,
  sas: `${mixed}%2B${mixed}%3D`,
  ocean: `dop_v1_${hex40}${'0123456789abcdef01234567'}`,
  databricks: `dapi${'0123456789abcdef'.repeat(2)}`,
  npm: `npm_${mixed.repeat(2)}a1B2`,
  pypi: `pypi-AgE${mixed.repeat(3)}`,
  docker: `dckr_pat_${mixed}abcdefg`,
  gems: `rubygems_${hex40}01234567`,
  nuget: `oy2${'a1b2c3d4e5'.repeat(4)}abc`,
  face: `hf_${'abcdefghij'.repeat(3)}ABCD`,
  model: `sk-proj-${mixed.repeat(2)}`,
  vault: `hvs.${mixed.repeat(2)}`,
  sendgrid: `SG.${mixed}abcdef.${mixed.repeat(2)}abc`,
  slackHook: `T0000${'0000'}/B000${'00000'}/${mixed}`,
  stripe: `sk_live_${mixed}abcdefgh`,
  pemBase64: `LS0tLS1CRUdJTi${mixed.repeat(4)}==`,
}
const json = (value: unknown) => JSON.stringify(value)
const key = `MIIEvQIBADANBgkqhkiG9w0B${'AQEFAASC'}`
const pem = ['-----BEGIN PRIVATE KEY-----', key, key, '-----END PRIVATE KEY-----'].join('\n')

const secrets: readonly [title: string, text: string, secret: string][] = [
  ['a classic token of GitHub', `fatal: ${S.classic}`, S.classic],
  ["a user's token", S.user, S.user],
  ['a refresh token', `r=${S.refresh}`, S.refresh],
  ['an installation token with a JWT', `got ${S.jwtInToken} back`, S.jwtInToken],
  ['a fine-grained token', S.fine, S.fine],
  ['an old installation token', `using ${S.old}`, S.old],
  ["GitLab's token", S.gitlab, S.gitlab],
  ["a GitLab runner's token", `token ${S.gitlabRunner}`, S.gitlabRunner],
  ['a GitLab registration token', S.gitlabRegistration, S.gitlabRegistration],
  ["Gitea's token by a name", `GITEA_TOKEN=${hex40}`, hex40],
  ["Gitea's token behind a word", `login with token ${hex40}`, hex40],
  ["Gitea's token in a URL", `https://git.example/api/v1/user?token=${hex40}`, hex40],
  ["Gitea's token in a header", `Authorization: token ${hex40}`, hex40],
  ['a JWT', S.jwt, S.jwt],
  ['an id token of a workflow', json({ value: S.jwt }), S.jwt],
  ['an AWS key id', S.aws, S.aws],
  ['an AWS secret in an environment', `AWS_SECRET_ACCESS_KEY=${S.awsSecret}`, S.awsSecret],
  ['an AWS secret in JSON', json({ SecretAccessKey: S.awsSecret }), S.awsSecret],
  ['an AWS secret in a command', `aws configure set aws_secret_access_key ${S.awsSecret}`, S.awsSecret],
  ['an AWS session token', `aws_session_token = ${S.azureKey}`, S.azureKey],
  ['a Google API key', S.google, S.google],
  ['a Google access token', S.googleOauth, S.googleOauth],
  ['a Google client secret', S.googleClient, S.googleClient],
  ["a service account's key", json({ type: 'service_account', private_key: pem }), key],
  ["an Azure application's secret", S.azure, S.azure],
  [
    'an Azure connection string',
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${S.azureKey};`,
    S.azureKey,
  ],
  [
    'an Azure service bus',
    `Endpoint=sb://x/;SharedAccessKeyName=r;SharedAccessKey=${S.azureKey}`,
    S.azureKey,
  ],
  ['an Azure SAS', `https://a.blob.core.windows.net/c?sv=2024&sig=${S.sas}&se=x`, S.sas],
  ['a DigitalOcean token', S.ocean, S.ocean],
  ['a Databricks token', S.databricks, S.databricks],
  ['an npm token', `//registry.npmjs.org/:_authToken=${S.npm}`, S.npm],
  ['an npm token alone', S.npm, S.npm],
  ["npm's basic credentials", `_auth=${base64}`, base64],
  ['a PyPI token', S.pypi, S.pypi],
  ['a Docker token', S.docker, S.docker],
  ["Docker's configuration", json({ auths: { 'ghcr.io': { auth: base64 } } }), base64],
  ["Docker's configuration in JSON", json(json({ auths: { 'ghcr.io': { auth: base64 } } })), base64],
  ['a login to a registry', `docker login -u ci -p ${word} ghcr.io`, word],
  ['a login by a flag', `docker login --username ci --password ${word}`, word],
  ['a netrc', `machine github.com login ci password ${word}`, word],
  ['a RubyGems key', S.gems, S.gems],
  ['a NuGet key', S.nuget, S.nuget],
  ['a Hugging Face token', S.face, S.face],
  ['a model key', S.model, S.model],
  ['a Vault token', S.vault, S.vault],
  ['a SendGrid key', S.sendgrid, S.sendgrid],
  ['a Slack webhook', `https://hooks.slack.com/services/${S.slackHook}`, S.slackHook],
  ['a Stripe key', S.stripe, S.stripe],
  [
    'a registration token in a command',
    `./config.sh --url https://x --token ${'AABF3JGZDX3P5PMEXLND6TS6FCWO6'}`,
    'AABF3JGZDX3P5PMEXLND6TS6FCWO6',
  ],
  ['a runner configuration', `./run.sh --jitconfig ${`eyJ${mixed.repeat(20)}`}`, mixed],
  ['a key in a kubeconfig', `    client-key-data: ${S.pemBase64}`, S.pemBase64],
  ['every part of a cookie', 'Cookie: a=1234; session=5678abcd; c=d', '5678abcd'],
  ["a proxy's header", `Proxy-Authorization: Basic ${base64}`, base64],
  ['a header of curl', `curl -H "X-Auth-Token: ${word}" https://x`, word],
  ['a PEM block with Windows line ends', pem.replaceAll('\n', '\r\n'), key],
  [
    'a token in the place of a user',
    `git clone https://${S.old.slice(3)}@git.example/acme/app`,
    S.old.slice(3),
  ],
  ['credentials of curl', `curl -u ci:${word} https://x`, word],
  ['short credentials of curl', "curl --user 'ci:h4x' https://x", 'h4x'],
  ["a database client's password", `mysqldump -h db -u root -p${word} app`, word],
  ['a password of sshpass', `sshpass -p '${word}' ssh ci@host`, word],
  ['a login with its password attached', `docker login -u ci -p${word} ghcr.io`, word],
  ['a short name for a password', `DB_PASS=${word}`, word],
  ['a short password', 'password=hunter2 and so on', 'hunter2'],
  ['a password in YAML', 'db_pass: hunter2', 'hunter2'],
  ['a connection string', `Server=db;Uid=ci;Pwd=${word};Database=app`, word],
  ['a connection string in lower case', 'uid=ci;pwd=s3cr;', 's3cr'],
  ['base64 of a token', `echo ${btoa(S.classic)}`, btoa(S.classic)],
  ['base64 of text that holds a token', btoa(`x-access-token:${S.classic}\n`), btoa(S.classic).slice(8, 24)],
  [
    'base64 for URLs',
    btoa(`????>>>>>${S.gitlab}`).replaceAll('/', '_').replaceAll('=', ''),
    btoa(S.gitlab).slice(8, 20),
  ],
  [
    'a token with a colour in it',
    `${S.classic.slice(0, 8)}\u001b[01;31m\u001b[K${S.classic.slice(8)}\u001b[m`,
    S.classic.slice(8),
  ],
  [
    'a token with a link around its end',
    `${S.fine.slice(0, 20)}\u001b]8;;x\u0007${S.fine.slice(20)}`,
    S.fine.slice(20),
  ],
  ['an indented PEM block', pem.replaceAll('\n', '\n    '), key],
]

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
    expect(shown).toContain(REDACTED)
  })

  it.each(secrets)('hides %s in the middle of a log', (_title, text, secret) => {
    const log = `2026-11-16T03:00:00Z begin\n${text}\n2026-11-16T03:00:01Z end of it`
    const shown = redactText(log)
    expect(shown).not.toContain(secret)
    expect(shown).toMatch(/^2026-11-16T03:00:00Z begin\n[\s\S]*\n2026-11-16T03:00:01Z end of it$/)
  })

  it.each(survivors)('leaves alone: %s', (text) => {
    expect(redactText(text)).toBe(text)
  })

  it('does not hide the rest of a log behind a block that never ends', () => {
    const log = `-----BEGIN PRIVATE KEY-----\n${key}\n${key}\nthen it was killed: signal 9`
    expect(redactText(log)).toBe(`${REDACTED}\nthen it was killed: signal 9`)
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
