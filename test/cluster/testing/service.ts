import { connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { buildBinaries } from '../binaries/build.ts'
import type { Cluster } from '../cluster.ts'
import { keeperOf } from '../machine/keeper.ts'
import { runInside } from '../machine/start-part.ts'
import { until } from '../machine/until.ts'
import { exposeCommand, forgetAddress, inwardCommand, portOf } from '../parts/forward.ts'

const lookEveryMs = 200
const soonMs = 30_000

/** A Service that works: its own address inside the cluster, and a port of this machine's loopback. */
export interface Served extends AsyncDisposable {
  readonly clusterIp: string
  /** The number of ready pods that it reaches now; a pod that turned ready is reached a moment later. */
  backends(): number
}

/**
 * Does for one Service what kube-proxy does for all: a connection to its address reaches one of its ready pods, in
 * turns. `port` of this machine's loopback leads there too.
 */
export async function serveService(
  cluster: Cluster,
  { namespace, name, port }: { readonly namespace: string; readonly name: string; readonly port: number },
): Promise<Served> {
  const { place, api } = cluster
  const keeper = keeperOf(place)
  const { tools } = await buildBinaries(() => {})
  const { spec } = (await api.request('GET', `/api/v1/namespaces/${namespace}/services/${name}`)).body
  const clusterIp = spec.clusterIP as string
  const servicePort = spec.ports[0].port as number
  const word = `service-${name}`
  const begun: string[] = []
  const start = async (part: string, command: readonly string[], inside: string | null) => {
    await forgetAddress(place, part)
    await keeper.start(part, command, inside)
    begun.push(part)
    return until(`${part} listens`, soonMs, () => portOf(place, part))
  }
  const forwarders = new Map<string, number>()
  const ready = async (): Promise<readonly string[]> => {
    const where = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`
    const asked = await api.request('GET', `${where}?labelSelector=kubernetes.io/service-name%3D${name}`)
    const slices = asked.body.items as readonly {
      ports: readonly { port: number }[] | null
      endpoints: readonly { addresses: readonly string[]; conditions: { ready?: boolean } }[] | null
    }[]
    return slices.flatMap(({ endpoints, ports }) =>
      (endpoints ?? [])
        .filter(({ conditions }) => conditions.ready === true)
        .flatMap(({ addresses }) => addresses.map((address) => `${address}:${ports?.[0]?.port}`)),
    )
  }
  let targets: readonly number[] = []
  const look = async () => {
    const found = await ready()
    const network = (await keeper.state()).parts.find((part) => part.name === 'network')?.identity
    for (const address of found) {
      if (forwarders.has(address) || !network) continue
      const part = `${word}-${address.replaceAll(/[.:]/g, '-')}`
      forwarders.set(address, await start(part, inwardCommand(tools, place, part, network, 0, address), null))
    }
    targets = found.flatMap((address) => forwarders.get(address) ?? [])
  }
  const stopping = new AbortController()
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch((error) => console.log(`the endpoints of ${name} were not read: ${error}`))
      await setTimeout(lookEveryMs)
    }
  })()
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    const target = targets[turn++ % Math.max(1, targets.length)]
    if (target === undefined) return void socket.resetAndDestroy()
    const other = connect(target, '127.0.0.1')
    sockets.add(other)
    other.on('error', () => socket.resetAndDestroy()).on('close', () => sockets.delete(other))
    socket.on('close', () => other.destroy())
    other.on('close', () => socket.destroy())
    socket.pipe(other).pipe(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  const address = (act: string) => ['ip', 'address', act, `${clusterIp}/32`, 'dev', 'lo']
  await runInside(place, await keeper.state(), 'network', address('replace'))
  await start(
    word,
    exposeCommand(tools, place, word, `${clusterIp}:${servicePort}`, `127.0.0.1:${port}`),
    'network',
  )
  return {
    clusterIp,
    backends: () => targets.length,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await looking
      for (const part of begun) await keeper.kill(part)
      await runInside(place, await keeper.state(), 'network', address('delete'))
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
