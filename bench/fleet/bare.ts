import { preparePods } from '../../src/adapters/kubernetes/pods/index.ts'
import { parseRunnerPool } from '../../src/api/index.ts'
import { forEach, must } from './api.ts'
import { type Ground, namespaces, poolName, poolSpec } from './ground.ts'

const createdWithinMs = 180_000
const goneWithinMs = 180_000
let made = 0

/**
 * The bare loop: creates of the same manifests over the same number of connections, and nothing else. Without our
 * finalizer, so that they go when the bench deletes them. Gives ms from the first byte to the last pod in a watch.
 */
export async function bareCreates(ground: Ground, count: number, connections: number): Promise<number> {
  const { api, board, site } = ground
  const parsed = parseRunnerPool(poolName, poolSpec({ maxRunners: count }))
  if (parsed.kind !== 'pool') throw new Error(`the bench's pool: ${parsed.problems.join(' ')}`)
  const pods = preparePods({
    pool: poolName,
    plan: parsed.pod,
    site: { ...site, namespace: namespaces.bare },
  })
  const manifests = Array.from({ length: count }, () => {
    made += 1
    const pod = pods.build(`bare-${made.toString(16).padStart(8, '0')}`, [])
    return { ...pod, metadata: { ...pod.metadata, finalizers: [] } }
  })
  const where = `/api/v1/namespaces/${namespaces.bare}/pods`
  const began = performance.now()
  const all = board.until(namespaces.bare, count, createdWithinMs)
  await forEach(manifests, connections, async (pod) => must('create', await api.call('POST', where, pod)))
  const tookMs = (await all) - began
  must('delete', await api.call('DELETE', `${where}?gracePeriodSeconds=0`))
  await board.until(namespaces.bare, 0, goneWithinMs)
  return tookMs
}
