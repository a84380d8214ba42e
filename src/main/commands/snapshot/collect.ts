import {
  createCluster,
  createClusterFactsReader,
  findConnection,
} from '../../../adapters/kubernetes/index.ts'
import type { SnapshotOrder } from '../../../cli/index.ts'
import type { Snapshot } from '../../../domain/snapshot/index.ts'
import type { Config } from '../../../platform/config/index.ts'
import type { ClusterFactsReader } from '../../../ports/cluster-facts.ts'
import { collectSnapshot } from '../../../snapshot/index.ts'
import { type Base, createBase } from '../../base.ts'
import { version } from '../../version.ts'
import { silentLog as log } from '../silent-log.ts'
import { forgeReader } from './forge-reader.ts'
import { secretHashes } from './hashes.ts'

/** Reads the facts of the fleet that is meant. */
export async function collect(config: Config, order: SnapshotOrder, signal: AbortSignal): Promise<Snapshot> {
  const base = createBase(config)
  const deps = {
    ...base,
    cluster: clusterReader(order, base),
    forge: await forgeReader(order, base),
    hashes: await secretHashes(base),
    program: version,
  }
  return collectSnapshot(order, deps, signal)
}

/** Connects when it is asked: a kubeconfig that cannot be used is a source that fails, like a cluster that is away. */
function clusterReader({ kubeconfig, context }: SnapshotOrder, { clock, entropy }: Base): ClusterFactsReader {
  return {
    async readClusterFacts(order, signal) {
      const connection = await findConnection({ kubeconfig, context, env: process.env, clock, log })
      const cluster = createCluster({ connection, clock, entropy, log })
      try {
        const clusterName = context ?? new URL(connection.server).host
        return await createClusterFactsReader({ cluster, clock, clusterName }).readClusterFacts(order, signal)
      } finally {
        await cluster.close()
      }
    },
  }
}
