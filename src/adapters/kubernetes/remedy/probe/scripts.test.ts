import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeCertificates } from '../../client/testing/certificates.ts'
import { nixCacheScript, npmTlsScript } from './scripts.ts'

const run = promisify(execFile)
const basics = ['sh', 'sed', 'head', 'grep', 'printf', 'cut', 'cat']
const servers: Server[] = []
let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-probe-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a script with exactly these tools of this machine; null: the machine lacks one. */
async function answer(script: string, tools: readonly string[], env: Record<string, string>) {
  const bin = path.join(folder, 'bin')
  await mkdir(bin)
  for (const tool of [...basics, ...tools]) {
    const at =
      tool === 'node'
        ? process.execPath
        : await run('which', [tool]).then(
            ({ stdout }) => stdout.trim(),
            () => '',
          )
    if (at === '' && tools.includes(tool)) return null
    if (at !== '') await symlink(at, path.join(bin, tool === 'busybox' ? 'wget' : tool))
  }
  const { stdout } = await run(path.join(bin, 'sh'), ['-c', script], { env: { PATH: bin, ...env } })
  return stdout.trim().split('\n')
}

async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

describe.each(['curl', 'wget', 'busybox'])('the Nix cache, asked by %s', (tool) => {
  const cache = () =>
    listening(
      createServer(({ url }, response) => {
        const isKnown = url === '/' || url === '/main/nix-cache-info' || url === '/page/nix-cache-info'
        response.writeHead(isKnown ? 200 : 404)
        response.end(url === '/page/nix-cache-info' ? '<html>' : 'StoreDir: /nix/store\n')
      }),
    )
  const ask = async (env: Record<string, string>) => {
    const lines = await answer(nixCacheScript, [tool], env)
    await rm(path.join(folder, 'bin'), { recursive: true })
    return lines?.filter((line) => !line.startsWith('tool='))
  }

  it('is told apart: there, another name, no Nix cache, nothing there, nothing set', async ({ skip }) => {
    const server = `http://127.0.0.1:${await cache()}`
    const good = await ask({ ATTIC_SERVER: `${server}/`, ATTIC_CACHE: 'main' })
    if (good === undefined) return skip(`this machine has no ${tool}`)
    expect(good).toEqual(['server=status:200', 'cache=status:200', 'cache-info=yes'])
    expect(await ask({ ATTIC_SERVER: server, ATTIC_CACHE: 'x' })).toEqual([
      'server=status:200',
      'cache=status:404',
    ])
    expect(await ask({ ATTIC_SERVER: server, ATTIC_CACHE: 'page' })).toContain('cache-info=no')
    expect(await ask({ ATTIC_SERVER: 'http://127.0.0.1:9', ATTIC_CACHE: 'm' })).toContain(
      'server=fail:connect',
    )
    expect(await ask({ ATTIC_SERVER: 'http://cache.invalid', ATTIC_CACHE: 'm' })).toContain(
      'server=fail:resolve',
    )
    expect(await ask({})).toEqual(['server=unset'])
    expect(await ask({ ATTIC_SERVER: server })).toEqual(['server=status:200', 'cache=unset'])
  }, 60_000)

  it('is asked by no option, no other scheme and no shell that a value brings', async ({ skip }) => {
    const mark = path.join(folder, 'mark')
    for (const ATTIC_SERVER of [
      `$(touch ${mark})`,
      `; touch ${mark}`,
      `-o ${mark}`,
      `file://${mark}`,
      '`id`',
    ]) {
      const lines = await ask({ ATTIC_SERVER, ATTIC_CACHE: `main;touch ${mark}` })
      if (lines === undefined) return skip(`this machine has no ${tool}`)
      expect(lines[0]).toMatch(/^server=fail:/)
      expect(lines[1]).toBe('cache=no-name')
    }
    await expect(writeFile(mark, '', { flag: 'wx' })).resolves.toBeUndefined()
  }, 60_000)
})

it('the Nix cache is not asked where the image has no tool for it', async () => {
  expect(await answer(nixCacheScript, [], { ATTIC_SERVER: 'http://a' })).toEqual(['server=no-tool'])
})

describe.each(['node', 'openssl', 'curl'])('certificates, looked at by %s', (tool) => {
  it('are trusted with the authority, and not without; the chain is shown where the tool shows one', async ({
    skip,
  }) => {
    const { ca, server } = makeCertificates('probe')
    const port = await listening(createTlsServer(server, (_, response) => response.end('ok')))
    const bundle = path.join(folder, 'ca.pem')
    await writeFile(bundle, ca)
    const at = { HOLDFAST_PROBE_HOST: '127.0.0.1', HOLDFAST_PROBE_PORT: String(port) }
    const ask = async (env: Record<string, string>) => {
      const lines = await answer(npmTlsScript, [tool], { ...at, ...env })
      await rm(path.join(folder, 'bin'), { recursive: true })
      return lines
    }
    const given = { NODE_EXTRA_CA_CERTS: bundle, SSL_CERT_FILE: bundle }
    const trusted = await ask(given)
    if (trusted === null) return skip(`this machine has no ${tool}`)
    expect(trusted).toEqual(expect.arrayContaining(['SSL_CERT_FILE=present', `tool=${tool}`, 'trust=yes']))
    const untrusted = await ask({})
    expect(untrusted?.join('\n')).toMatch(/^SSL_CERT_FILE=unset\n[\s\S]*trust=no /)
    if (tool !== 'curl') expect(untrusted?.join('\n')).toMatch(/certificate=.*test authority/)
    const nobody = await ask({ HOLDFAST_PROBE_PORT: '9' })
    expect(nobody?.join('\n')).toMatch(/trust=error /)
  }, 60_000)
})

describe('CA files', () => {
  it('are present, missing, empty, or on a volume that is not mounted; no path is printed', async () => {
    const empty = path.join(folder, 'empty.pem')
    await writeFile(empty, '')
    const lines = await answer(npmTlsScript, [], {
      SSL_CERT_FILE: empty,
      NIX_SSL_CERT_FILE: '/nowhere/secret-path.pem',
      NODE_EXTRA_CA_CERTS: '/claims/ca.pem',
      HOLDFAST_PROBE_UNMOUNTED: '/other\n/claims',
    })
    expect(lines).toEqual([
      ...['SSL_CERT_FILE=empty', 'NIX_SSL_CERT_FILE=missing', 'NODE_EXTRA_CA_CERTS=not-mounted'],
      'tool=none',
    ])
  })
})
