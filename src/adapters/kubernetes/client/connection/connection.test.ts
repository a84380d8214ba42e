import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { inspect } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { stringify } from 'yaml'
import { temporaryFolder } from '../../../../../test/support/temporary.ts'
import { ManualClock } from '../../../../platform/lifecycle/fakes.ts'
import { createCluster } from '../cluster.ts'
import { ApiServer } from '../testing/api-server.ts'
import { hurriedClock, keptLog, pods } from '../testing/bench.ts'
import { makeCertificates } from '../testing/certificates.ts'
import type { Connection } from './credentials.ts'
import { findConnection } from './find.ts'
import { inClusterConnection } from './in-cluster.ts'
import { kubeconfigConnection } from './kubeconfig-connection.ts'

const never = new AbortController().signal
const log = keptLog()
const clock = new ManualClock()
let certificates: ReturnType<typeof makeCertificates>
beforeAll(() => {
  certificates = makeCertificates('holdfast-client')
})
const base64 = (text: string) => Buffer.from(text).toString('base64')

async function folderHere(): Promise<string> {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return folder.path
}

async function secureServer() {
  const api = new ApiServer({ ...certificates.server, ca: certificates.ca })
  const port = await api.listen()
  onTestFinished(() => api[Symbol.asyncDispose]())
  return { api, port, server: `https://127.0.0.1:${port}` }
}

async function read(connection: Connection) {
  const entropy = { fraction: () => 0, bytes: (count: number) => new Uint8Array(count) }
  const cluster = createCluster({ connection, clock: hurriedClock(10), entropy, log })
  onTestFinished(() => cluster.close())
  return cluster.reader.read(pods, { name: 'a', namespace: 'ci' }, never)
}

async function kubeconfig(user: object, more: { cluster?: object; context?: object; folder?: string } = {}) {
  const folder = more.folder ?? (await folderHere())
  const file = join(folder, 'config')
  const cluster = { server: 'https://127.0.0.1:1', ...more.cluster }
  const context = { cluster: 'c', user: 'u', ...more.context }
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context }],
  }
  writeFileSync(file, stringify(content))
  return { file, folder, options: { files: [file], env: process.env, clock, log } }
}
const authorizationOf = async ({ credentials }: Connection) =>
  (await credentials.authenticate(never)).authorization

describe('a pod’s own connection', () => {
  async function serviceAccount() {
    const folder = await folderHere()
    writeFileSync(join(folder, 'token'), 'first\n')
    writeFileSync(join(folder, 'ca.crt'), certificates.ca)
    writeFileSync(join(folder, 'namespace'), 'ci\n')
    return folder
  }

  it('is made of its environment and its service account', async () => {
    const { api, port } = await secureServer()
    const folder = await serviceAccount()
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port) }
    const connection = await inClusterConnection({ env, clock, log, folder })
    expect(connection.namespace).toBe('ci')
    expect(await read(connection)).toBeUndefined()
    expect(api.requests[0]?.headers.authorization).toBe('Bearer first')
  })

  it('reads its token again after a minute, and at once where it was refused; a bad file changes nothing', async () => {
    const folder = await serviceAccount()
    const env = { KUBERNETES_SERVICE_HOST: '::1' }
    const connection = await inClusterConnection({ env, clock, log, folder })
    expect(connection.server).toBe('https://[::1]:443')
    expect(await authorizationOf(connection)).toBe('Bearer first')
    writeFileSync(join(folder, 'token'), 'second')
    expect(await authorizationOf(connection)).toBe('Bearer first')
    await clock.advance(60_000)
    expect(await authorizationOf(connection)).toBe('Bearer second')
    writeFileSync(join(folder, 'token'), 'third')
    connection.credentials.invalidate()
    expect(await authorizationOf(connection)).toBe('Bearer third')
    writeFileSync(join(folder, 'token'), '')
    connection.credentials.invalidate()
    expect(await authorizationOf(connection)).toBe('Bearer third')
    expect(log.lines.at(-1)).toContain('the last good ones stay in use')
  })

  it('says which file is missing', async () => {
    const folder = await serviceAccount()
    rmSync(join(folder, 'token'))
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1' }
    const connection = await inClusterConnection({ env, clock, log, folder })
    await expect(connection.credentials.authenticate(never)).rejects.toThrow(join(folder, 'token'))
    rmSync(join(folder, 'namespace'))
    await expect(inClusterConnection({ env, clock, log, folder })).rejects.toThrow('namespace')
    await expect(inClusterConnection({ env: {}, clock, log })).rejects.toThrow('KUBERNETES_SERVICE_HOST')
  })
})

describe('a kubeconfig', () => {
  it('proves us by a client certificate to a server that it proves to us', async () => {
    const { api, server } = await secureServer()
    const { options } = await kubeconfig(
      {
        'client-certificate-data': base64(certificates.client.cert),
        'client-key-data': base64(certificates.client.key),
      },
      {
        cluster: { server, 'certificate-authority-data': base64(certificates.ca) },
        context: { namespace: 'runners' },
      },
    )
    const names: unknown[] = []
    api.faults.push((_, response) => {
      const socket = (response.req as IncomingMessage).socket as TLSSocket
      names.push(socket.authorized, socket.getPeerCertificate().subject.CN)
      return true
    })
    const connection = await kubeconfigConnection(options)
    expect(connection.namespace).toBe('runners')
    expect(await read(connection)).toBeUndefined()
    expect(names).toEqual([true, 'holdfast-client'])
  })

  it('reads a client certificate again when its files were replaced, but never half of a pair', async () => {
    const folder = await folderHere()
    const other = makeCertificates('another-client').client
    const put = (name: string, content: string) => writeFileSync(join(folder, name), content)
    put('c.crt', certificates.client.cert)
    put('c.key', certificates.client.key)
    const user = { 'client-certificate': 'c.crt', 'client-key': 'c.key' }
    const { options } = await kubeconfig(user, { folder })
    const { credentials } = await kubeconfigConnection(options)
    const certificate = async () => (await credentials.authenticate(never)).tls.cert
    expect(await certificate()).toBe(certificates.client.cert)
    put('c.crt', other.cert)
    await clock.advance(60_000)
    expect(await certificate()).toBe(certificates.client.cert)
    put('c.key', other.key)
    credentials.invalidate()
    expect(await certificate()).toBe(other.cert)
  })

  it('does not trust a server that its authority does not know, unless it says so', async () => {
    const { server, api } = await secureServer()
    const strict = await kubeconfig({ token: 't' }, { cluster: { server } })
    await expect(read(await kubeconfigConnection(strict.options))).rejects.toThrow(/certificate/)
    expect(api.requests).toEqual([])
    const lax = await kubeconfig({ token: 't' }, { cluster: { server, 'insecure-skip-tls-verify': true } })
    expect(await read(await kubeconfigConnection(lax.options))).toBeUndefined()
  })

  it('takes files relative to itself, and a token file before a token', async () => {
    const folder = await folderHere()
    mkdirSync(join(folder, 'pki'))
    writeFileSync(join(folder, 'pki', 'token'), 'from-file')
    writeFileSync(join(folder, 'pki', 'ca.crt'), certificates.ca)
    const user = { token: 'plain', tokenFile: 'pki/token' }
    const { options } = await kubeconfig(user, { folder, cluster: { 'certificate-authority': 'pki/ca.crt' } })
    const connection = await kubeconfigConnection(options)
    const { authorization, tls } = await connection.credentials.authenticate(never)
    expect([authorization, tls.ca]).toEqual(['Bearer from-file', certificates.ca])
  })

  it('is found by its path, by KUBECONFIG or in the pod, and the error names what is expected where there is none', async () => {
    const { file } = await kubeconfig({ token: 'named' })
    const rest = { clock, log }
    expect(await authorizationOf(await findConnection({ ...rest, kubeconfig: file, env: {} }))).toBe(
      'Bearer named',
    )
    const env = { KUBECONFIG: `/nowhere/config:${file}`, KUBERNETES_SERVICE_HOST: 'h' }
    expect(await authorizationOf(await findConnection({ ...rest, env }))).toBe('Bearer named')
    await expect(findConnection({ ...rest, env: { KUBECONFIG: '/nowhere' } })).rejects.toThrow('/nowhere')
    await expect(findConnection({ ...rest, env: { HOME: '/nowhere' } })).rejects.toThrow(
      'expected KUBECONFIG',
    )
  })

  it('may be several files, of which the first holds', async () => {
    const one = await kubeconfig({ token: 'one' })
    const two = await kubeconfig({ token: 'two' })
    const connection = await kubeconfigConnection({ ...one.options, files: [one.file, two.file] })
    expect(await authorizationOf(connection)).toBe('Bearer one')
  })

  it.each([
    [
      'names what is missing',
      { token: 't' },
      { context: { cluster: 'other' } },
      'named "other"; there are: c',
    ],
    ['says what it does not do', { as: 'admin' }, {}, 'as is not supported here'],
    ['says which field is wrong', { token: 't' }, { cluster: { server: 'ftp://x' } }, 'cluster "c"): server'],
    ['wants both halves', { 'client-key-data': 'aGk=' }, {}, 'got one of the two'],
    ['says which file is missing', { 'client-key': 'k', 'client-certificate': 'c' }, {}, 'ENOENT'],
    [
      'refuses to ask a person',
      {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: 'x',
          interactiveMode: 'Always',
        },
      },
      {},
      'ask a person',
    ],
  ])('that is wrong %s', async (_, user, more, words) => {
    const { options } = await kubeconfig(user, more)
    await expect(kubeconfigConnection(options)).rejects.toThrow(words)
  })

  it('that is no YAML, or lacks the context, is refused with the reason', async () => {
    const { file, options } = await kubeconfig({ token: 't' })
    await expect(kubeconfigConnection({ ...options, context: 'y' })).rejects.toThrow(
      'named "y"; there are: x',
    )
    writeFileSync(file, '{')
    await expect(kubeconfigConnection(options)).rejects.toThrow(file)
    writeFileSync(file, '')
    await expect(kubeconfigConnection(options)).rejects.toThrow('expected a current-context')
  })

  it('that is no YAML is not quoted in the error', async () => {
    const { file, options } = await kubeconfig({ token: 't' })
    writeFileSync(file, 'users: [{ name: u, user: { token: a-secret }')
    const error = await kubeconfigConnection(options).catch((thrown: unknown) => thrown)
    expect(inspect(error)).toContain('line 1')
    expect(inspect(error)).not.toContain('a-secret')
  })
})

describe('a command that prints credentials', () => {
  const apiVersion = 'client.authentication.k8s.io/v1'

  async function command(script: string, more: object = {}) {
    const folder = await folderHere()
    const file = join(folder, 'login')
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    const exec = { apiVersion, command: './login', interactiveMode: 'Never', ...more }
    const { options } = await kubeconfig({ exec }, { folder, cluster: { 'tls-server-name': 'api.local' } })
    return { folder, connection: await kubeconfigConnection(options) }
  }
  const credential = (status: object) =>
    `echo '${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}'`

  it('runs once until the credentials expire, also for concurrent requests, and again after a 401', async () => {
    const end = new Date(clock.now() + 300_000).toISOString()
    const { connection, folder } = await command(
      `cd "$(dirname "$0")"\necho x >> runs\n${credential({ token: 'TOKEN', expirationTimestamp: end }).replace('TOKEN', `'$(wc -l < runs)'`)}`,
    )
    const runs = () => readFileSync(join(folder, 'runs'), 'utf8').length / 2
    const asked = await Promise.all([1, 2, 3].map(() => authorizationOf(connection)))
    expect([new Set(asked).size, runs()]).toEqual([1, 1])
    await clock.advance(200_000)
    await authorizationOf(connection)
    expect(runs()).toBe(1)
    await clock.advance(80_000)
    await authorizationOf(connection)
    expect(runs()).toBe(2)
    connection.credentials.invalidate()
    await authorizationOf(connection)
    expect(runs()).toBe(3)
  })

  it('gets the version, its own environment and, where it wants, the cluster', async () => {
    const { connection, folder } = await command(
      `printf '%s' "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/info"\n${credential({ token: 'T' }).replace('"T"', `"'"$WHO-$1"'"`)}`,
      { env: [{ name: 'WHO', value: 'me' }], args: ['first'], provideClusterInfo: true },
    )
    expect(await authorizationOf(connection)).toBe('Bearer me-first')
    expect(JSON.parse(readFileSync(join(folder, 'info'), 'utf8'))).toMatchObject({
      apiVersion,
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: { server: 'https://127.0.0.1:1', 'tls-server-name': 'api.local' },
      },
    })
  })

  it('may give a client certificate', async () => {
    const { cert, key } = certificates.client
    const { connection } = await command(
      `cat <<'END'\n${JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { clientCertificateData: cert, clientKeyData: key } })}\nEND`,
    )
    const proof = await connection.credentials.authenticate(never)
    expect([proof.authorization, proof.tls.cert, proof.tls.key]).toEqual([undefined, cert, key])
  })

  it.each([
    ['that fails', 'echo hush; echo "log in first" >&2; exit 3', 'it ended with 3: log in first'],
    ['that prints something else', 'echo secret-words', 'that are none'],
    ['that prints nothing to use', credential({}), 'expected a token, or a client certificate'],
    [
      'of another version',
      credential({ token: 't' }).replace('/v1', '/v1beta1'),
      'got client.authentication.k8s.io/v1beta1',
    ],
  ])('%s is an error with the reason, without the output of the command', async (_, script, words) => {
    const { connection } = await command(script)
    const error = await connection.credentials.authenticate(never).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain(words)
    expect(String(error)).not.toMatch(/hush|secret-words/)
  })

  it('that does not exist is an error that names the command', async () => {
    const { connection } = await command('true', { command: 'no-such-command-anywhere' })
    await expect(connection.credentials.authenticate(never)).rejects.toThrow('there is no such command')
  })
})
