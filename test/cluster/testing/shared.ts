import { type Cluster, openCluster } from '../cluster.ts'
import { forgetHoldfast } from '../fleet/rights.ts'
import { tearNamespace } from './namespaces.ts'

/** In the environment: the name of a cluster that is up, which suites share; each has namespaces of its own there. */
export const sharedVariable = 'HOLDFAST_TEST_CLUSTER'

/** The cluster that suites share; null where none was named, or it has too few nodes. */
export async function openShared(nodes: number, kwokNodes: number): Promise<Cluster | null> {
  const name = process.env[sharedVariable]
  if (!name) return null
  const cluster = await openCluster(name)
  const has = await cluster.parts.state()
  if (has.nodes >= nodes && has.kwokNodes >= kwokNodes) return cluster
  await cluster.close()
  return null
}

/** Leaves the shared cluster as it was found. */
export async function leaveShared(cluster: Cluster, namespace: string): Promise<void> {
  await forgetHoldfast(cluster, namespace)
  await tearNamespace(cluster, namespace)
  await cluster.close()
}
