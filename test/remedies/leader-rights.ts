import path from 'node:path'
import { asHoldfast } from '../cluster/fleet/rights.ts'
import { declareKind } from '../cluster/fleet/world.ts'
import type { Cluster } from '../cluster/index.ts'

/** The namespace of Holdfast's account, and here of its pools too. */
export const leaderNamespace = 'holdfast'

/** Gives Holdfast's own account what docs/remedies.md asks for; gives its kubeconfig. */
export async function asLeader(cluster: Cluster, folder: string): Promise<string> {
  await declareKind(cluster)
  const file = await asHoldfast(cluster, leaderNamespace, path.join(folder, 'holdfast.kubeconfig'))
  for (const namespace of ['arc-runners', 'arc-systems']) {
    const where = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`
    const { status, text } = await cluster.api.request('POST', where, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'holdfast-reap', namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'holdfast-remedy' },
      subjects: [{ kind: 'ServiceAccount', name: 'holdfast', namespace: leaderNamespace }],
    })
    if (status !== 201) throw new Error(`${where}: ${status} ${text}`)
  }
  return file
}
