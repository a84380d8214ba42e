import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import path from 'node:path'
import type { TestContext } from 'vitest'
import { temporaryFolder } from './temporary.ts'
import { untilTestEnds } from './until-test-ends.ts'

export interface Identity {
  readonly key: Buffer
  readonly cert: Buffer
}

/** A server with a certificate that nobody but the file's reader trusts. */
export async function secureServer(
  context: TestContext,
  listener: RequestListener,
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
  const server = createHttpsServer(identity, listener)
  const port = await listening(server)
  return { url: `https://localhost:${port}`, caFile, identity }
}

/** A proxy that only makes tunnels, and notes where to. */
export async function connectProxy(identity?: Identity): Promise<{ url: string; asked: string[] }> {
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
