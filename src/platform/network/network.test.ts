import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { clock, recordedLog } from '../../../test/support/machine.ts'
import { connectProxy, secureServer } from '../../../test/support/secure-server.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createGitHub } from '../../adapters/github/index.ts'
import { type NetworkOptions, openNetwork } from './index.ts'

const never = new AbortController().signal
const order = {
  scope: { installation: 'gh', repository: 'acme/shop' },
  name: 'r-1',
  labels: ['linux'],
}
const minted = { kind: 'minted', forgeRunnerId: 5, jit: 'abc' }
const answer = '{"runner":{"id":5},"encoded_jit_config":"abc"}'
const secureForge = (context: TestContext) =>
  secureServer(context, (_, response) => response.writeHead(201).end(answer))

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

  it('is reported as unreachable where the proxy is', async (context) => {
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
    apiUrl,
    installation: 'gh',
    clock,
    log: recordedLog(),
    webhookSecrets: () => [],
    dispatcher,
    credentials: { kind: 'token', token: () => 'ghp_1' },
  })
  untilTestEnds({ [Symbol.asyncDispose]: close })
  return ours.forge
}
