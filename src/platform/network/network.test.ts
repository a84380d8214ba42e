import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import path from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { clock, recordedLog } from '../../../test/support/machine.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createGitHub } from '../../adapters/github/index.ts'
import { type NetworkOptions, openNetwork } from './index.ts'

interface Identity {
  readonly key: Buffer
  readonly cert: Buffer
}

const never = new AbortController().signal
const order = {
  ...{ scope: { installation: 'gh', repository: 'acme/shop' }, name: 'r-1', labels: ['linux'] },
}
const minted = { kind: 'minted', forgeRunnerId: 5, jit: 'abc' }
const answer = '{"runner":{"id":5},"encoded_jit_config":"abc"}'

describe('the way to the forge', () => {
  it('trusts an authority of its own besides the others', async (context) => {
    const { url, caFile } = await secureForge(context)
    const other = await secureForge(context)
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, readFileSync(other.caFile, 'utf8')])
    onTestFinished(() => setDefaultCACertificates(before))
    expect(await github(url, { caFile }).mint(order, never)).toEqual(minted)
    expect(await github(other.url, { caFile }).mint(order, never)).toEqual(minted)
    const stranger = github(url, {}).mint(order, never)
    await expect(stranger).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
    await expect(stranger).rejects.toThrow(/SELF_SIGNED|UNABLE_TO_VERIFY/)
  })

  it('leads through the proxy of the settings, with TLS from end to end', async (context) => {
    const { url, caFile } = await secureForge(context)
    const proxy = await connectProxy()
    expect(await github(url, { caFile, proxy: proxy.url }).mint(order, never)).toEqual(minted)
    expect(proxy.asked).toEqual([new URL(url).host])
  })

  it('leads through a proxy that is itself behind TLS', async (context) => {
    const { url, caFile, identity } = await secureForge(context)
    const proxy = await connectProxy(identity)
    expect(await github(url, { caFile, proxy: proxy.url }).mint(order, never)).toEqual(minted)
    expect(proxy.asked).toEqual([new URL(url).host])
  })

  it('leads through the proxy of the environment, and past it where that says so', async (context) => {
    const { url, caFile } = await secureForge(context)
    const proxy = await connectProxy()
    const env = { HTTPS_PROXY: proxy.url }
    const past = github(url, { caFile, env: { ...env, NO_PROXY: 'localhost' } })
    expect(await past.mint(order, never)).toEqual(minted)
    expect(proxy.asked).toEqual([])
    expect(await github(url, { caFile, env }).mint(order, never)).toEqual(minted)
    expect(proxy.asked).toEqual([new URL(url).host])
  })

  it('is told as broken where the proxy is', async (context) => {
    const { url, caFile } = await secureForge(context)
    const forge = github(url, { caFile, proxy: 'http://127.0.0.1:1' })
    await expect(forge.mint(order, never)).rejects.toMatchObject({ code: 'E_FORGE_UNAVAILABLE' })
  })

  it('is refused at the start where the file of authorities is none', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const file = path.join(folder.path, 'ca.pem')
    expect(() => github('https://localhost', { caFile: file })).toThrow(/forge\.caFile.*ENOENT/)
    writeFileSync(file, 'no certificate')
    expect(() => github('https://localhost', { caFile: file })).toThrow(/forge\.caFile/)
  })
})

function github(apiUrl: string, way: NetworkOptions) {
  const { dispatcher, close } = openNetwork(way)
  const ours = createGitHub({
    ...{ apiUrl, installation: 'gh', clock, log: recordedLog(), webhookSecrets: () => [], dispatcher },
    credentials: { kind: 'token', token: () => 'ghp_1' },
  })
  untilTestEnds({ [Symbol.asyncDispose]: close })
  return ours.forge
}

/** A server with a certificate that nobody but the file's reader trusts. */
async function secureForge(
  context: TestContext,
): Promise<{ url: string; caFile: string; identity: Identity }> {
  const folder = untilTestEnds(await temporaryFolder())
  const [key, caFile] = ['key.pem', 'cert.pem'].map((name) => path.join(folder.path, name)) as [
    string,
    string,
  ]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const flags = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    caFile,
  ]
  const made = spawnSync('openssl', [...flags, ...subject], { encoding: 'utf8' })
  if (made.status !== 0) context.skip(`DID NOT RUN: openssl makes no certificate here: ${made.stderr}`)
  const identity = { key: readFileSync(key), cert: readFileSync(caFile) }
  const server = createHttpsServer(identity, (_, response) => response.writeHead(201).end(answer))
  const port = await listening(server)
  return { url: `https://localhost:${port}`, caFile, identity }
}

/** A proxy that only makes tunnels, and notes where to. */
async function connectProxy(identity?: Identity): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const refuse: RequestListener = (_, response) => response.writeHead(405).end()
  const server = identity ? createHttpsServer(identity, refuse) : createHttpServer(refuse)
  server.on('connect', (request, socket, head) => {
    asked.push(request.url ?? '')
    const { hostname, port } = new URL(`http://${request.url}`)
    const far = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      far.write(head)
      far.pipe(socket).pipe(far)
    })
    const end = () => {
      far.destroy()
      socket.destroy()
    }
    for (const side of [far, socket]) side.on('error', end).on('close', end)
  })
  return { url: `${identity ? 'https' : 'http'}://localhost:${await listening(server)}`, asked }
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  untilTestEnds({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
  return (server.address() as AddressInfo).port
}
