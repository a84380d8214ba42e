import { createCluster, findConnection } from '../../../src/adapters/kubernetes/index.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { createEntropy } from '../../../src/platform/entropy.ts'
import type { Log } from '../../../src/ports/log.ts'

/*
 * A process that leads and writes without a pause, for tests that stop it: `leader.ts <kubeconfig> <identity>`. Under
 * the running term it creates one ConfigMap after the other, named by its identity; it says which of them it could not
 * write. Its standard output: `leads <token>`, `refused <code>`.
 */
const [kubeconfig, identity = ''] = process.argv.slice(2)
const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log }
const clock = createClock()
const connection = await findConnection({ kubeconfig, env: process.env, clock, log })
const cluster = createCluster({ connection, clock, entropy: createEntropy(), log })
const elector = cluster.elector({ name: 'leader-test', namespace: 'default' }, identity)
const kind = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', isNamespaced: true }
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())
const running = elector.run(stop.signal)

let count = 0
elector.onChange((term) => {
  if (term === null) return
  process.stdout.write(`leads ${term.token}\n`)
  void writeUnder(cluster.writerOf(term))
})

async function writeUnder(writer: ReturnType<typeof cluster.writerOf>): Promise<void> {
  for (;;) {
    count += 1
    const metadata = { name: `${identity}-${count}`, namespace: 'default', labels: { writer: identity } }
    try {
      await writer.create(kind, { metadata }, stop.signal)
    } catch (error) {
      process.stdout.write(`refused ${(error as { code?: string }).code}\n`)
      return
    }
  }
}

await running
await cluster.close()
