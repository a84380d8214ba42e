import { readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { parse, stringify } from 'yaml'

/** A way to the API server that fails for good in the middle of an answer. */
export interface FailingApi extends AsyncDisposable {
  readonly kubeconfig: string
}

/** After this many bytes to its client every connection ends, and no other is taken: as where the API server goes away. */
export async function failAfter(bytes: number, kubeconfig: string): Promise<FailingApi> {
  const config = parse(await readFile(kubeconfig, 'utf8'))
  const { cluster } = config.clusters[0]
  const { hostname, port } = new URL(cluster.server)
  const sockets = new Set<Socket>()
  const stop = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  let left = bytes
  const server = createServer((client) => {
    const far = connect(Number(port), hostname)
    for (const socket of [client, far])
      sockets.add(socket.on('error', () => {}).on('close', () => client.destroy()))
    client.on('close', () => far.destroy()).pipe(far)
    far.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) stop()
      else client.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const through = `${kubeconfig}-failing-${bytes}`
  cluster.server = `https://${hostname}:${(server.address() as AddressInfo).port}`
  await writeFile(through, stringify(config, { lineWidth: 0 }), { mode: 0o600 })
  return { kubeconfig: through, [Symbol.asyncDispose]: async () => stop() }
}
