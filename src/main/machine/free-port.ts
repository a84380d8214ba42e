import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port that was free a moment ago, for `http.port: 0`: runners and the forge get it before it is served. */
export async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
