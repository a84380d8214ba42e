import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Cluster } from '../../test/cluster/index.ts'
import { type BareApi, forEach, must } from './api.ts'

const mergePatch = 'application/merge-patch+json'

/** Logs of pods that do not really run: one line each, so that reading them has a real cost. */
export async function serveLogs(cluster: Cluster, api: BareApi, nodes: number): Promise<() => Promise<void>> {
  const file = (name: string) => readFile(path.join(cluster.place.certificates, name), 'utf8')
  const [cert, key] = await Promise.all([file('apiserver.crt'), file('apiserver.key')])
  const server = createServer({ cert, key }, (_, outgoing) => {
    outgoing.end('2026-01-01T00:00:00Z nothing ran in this pod\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await cluster.expose(port)
  const status = { daemonEndpoints: { kubeletEndpoint: { Port: port } } }
  const names = Array.from({ length: nodes }, (_, index) => `kwok-${index + 1}`)
  await forEach(names, 4, async (name) =>
    must(name, await api.call('PATCH', `/api/v1/nodes/${name}/status`, { status }, mergePatch)),
  )
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
