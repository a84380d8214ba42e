import {
  createCluster,
  findConnection,
  readForeignRunner as readRunner,
} from '../../adapters/kubernetes/index.ts'
import type { ForeignOrder } from '../../cli/index.ts'
import { createClock } from '../../platform/clock.ts'
import { createEntropy } from '../../platform/entropy.ts'
import type { ForeignRunner } from '../../ports/foreign-runner.ts'
import { silentLog as log } from './silent-log.ts'

/** Reads a runner that is not ours from the cluster that is meant. */
export async function readForeignRunner(order: ForeignOrder, signal: AbortSignal): Promise<ForeignRunner> {
  const clock = createClock()
  const { kubeconfig } = order
  const connection = await findConnection({ kubeconfig, env: process.env, clock, log })
  const cluster = createCluster({ connection, clock, entropy: createEntropy(), log })
  try {
    const namespace = order.namespace ?? cluster.namespace
    return await readRunner({ namespace, pod: order.pod }, { cluster, clock }, signal)
  } finally {
    await cluster.close()
  }
}
