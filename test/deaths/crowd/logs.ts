import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Cluster } from '../../cluster/index.ts'

const mergePatch = 'application/merge-patch+json'
/** A kubelet writes the time before each line. */
const stamp = '2026-11-16T03:00:00.123456789Z '
const containerLog = /^\/containerLogs\/[^/]+\/([^/]+)\/([^/?]+)/

/** Answers for the kubelets of nodes that are only objects: what a container of a pod has written. */
export async function serveKubeletLogs(
  cluster: Cluster,
  nodes: readonly string[],
  outputOf: (pod: string, container: string) => string,
): Promise<AsyncDisposable> {
  const file = (name: string) => readFile(path.join(cluster.place.certificates, name), 'utf8')
  const [cert, key] = await Promise.all([file('apiserver.crt'), file('apiserver.key')])
  const server = createServer({ cert, key }, ({ url = '' }, outgoing) => {
    const [, pod = '', container = ''] = containerLog.exec(url) ?? []
    outgoing.end(outputOf(pod, container).replaceAll(/^(?=[\s\S])/gm, stamp))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await cluster.expose(port)
  const status = { daemonEndpoints: { kubeletEndpoint: { Port: port } } }
  for (const node of nodes) {
    const where = `/api/v1/nodes/${node}/status`
    const answer = await cluster.api.request('PATCH', where, { status }, mergePatch)
    if (answer.status !== 200) throw new Error(`${node}: ${answer.status} ${answer.text}`)
  }
  return {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
