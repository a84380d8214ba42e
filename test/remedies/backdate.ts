import { isAlive } from '../../src/adapters/process/proc/index.ts'
import { buildBinaries } from '../cluster/binaries/build.ts'
import type { Cluster } from '../cluster/index.ts'
import { keeperOf } from '../cluster/machine/keeper.ts'
import { until } from '../cluster/machine/until.ts'
import { etcdUrl } from '../cluster/parts/control-plane.ts'
import { forgetAddress, inwardCommand, portOf } from '../cluster/parts/forward.ts'

const forwarder = 'forward-etcd'
const listensWithinMs = 10_000
const keysOfRunners = '/registry/actions.github.com/ephemeralrunners/arc-runners/'

/**
 * Makes EphemeralRunners older. The API server alone says when an object was made, and takes nobody's word for it: custom
 * resources are JSON in etcd, and are changed there.
 */
export async function backdate({ place }: Cluster, names: readonly string[], createdAt: Date): Promise<void> {
  const port = await portOfEtcd(place)
  const creationTimestamp = createdAt.toISOString().replace(/\.\d+Z$/, 'Z')
  for (const name of names) await rewrite(port, `${keysOfRunners}${name}`, { creationTimestamp })
}

/** The forwarder stays until the cluster goes down: a part that has ended looks like a fault. */
async function portOfEtcd(place: Cluster['place']): Promise<number> {
  const keeper = keeperOf(place)
  const identityOf = async (part: string) =>
    (await keeper.state()).parts.find(({ name }) => name === part)?.identity ?? null
  if (!isAlive(await identityOf(forwarder))) {
    const network = await identityOf('network')
    if (network === null) throw new Error('the network of the cluster does not run')
    const { tools } = await buildBinaries(() => {})
    await forgetAddress(place, forwarder)
    const to = new URL(etcdUrl).host
    await keeper.start(forwarder, inwardCommand(tools, place, forwarder, network, 0, to), null)
  }
  return until('etcd is reached', listensWithinMs, () => portOf(place, forwarder))
}

async function rewrite(port: number, name: string, changed: object): Promise<void> {
  const key = Buffer.from(name).toString('base64')
  const { kvs = [] } = await ask(port, 'range', { key })
  const [found] = kvs
  if (found === undefined) throw new Error(`etcd has no ${name}`)
  const object = JSON.parse(Buffer.from(found.value, 'base64').toString())
  const text = JSON.stringify({ ...object, metadata: { ...object.metadata, ...changed } })
  await ask(port, 'put', { key, value: Buffer.from(text).toString('base64') })
}

async function ask(
  port: number,
  act: 'range' | 'put',
  body: object,
): Promise<{ readonly kvs?: readonly { readonly value: string }[] }> {
  const url = `http://127.0.0.1:${port}/v3/kv/${act}`
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`etcd: ${act}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { readonly kvs?: readonly { readonly value: string }[] }
}
