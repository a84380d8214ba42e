import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../cluster/index.ts'

const everyMs = 500
const triesMax = 120

/** Kills the API server and starts it again, until it answers. */
export async function restartApiServer(cluster: Cluster): Promise<void> {
  await cluster.parts.kill('apiserver')
  for (let tries = 0; tries < triesMax; tries++) {
    // One that ends at once found its port still held by the one before: it is started again. One that runs refuses.
    await cluster.startAgain('apiserver').catch(() => {})
    await sleep(everyMs)
    const answer = await cluster.api.request('GET', '/readyz').catch(() => null)
    if (answer?.status === 200) return
  }
  throw new Error('the API server did not come back within a minute')
}
