import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { Cluster } from '../index.ts'

const rbacFile = fileURLToPath(new URL('../../../deploy/rbac.yaml', import.meta.url))
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const namespaced = '/namespaces/default'
const places: Readonly<Record<string, string>> = {
  ServiceAccount: `/api/v1${namespaced}/serviceaccounts`,
  Role: `${rbac}${namespaced}/roles`,
  RoleBinding: `${rbac}${namespaced}/rolebindings`,
  ClusterRole: `${rbac}/clusterroles`,
  ClusterRoleBinding: `${rbac}/clusterrolebindings`,
}
const tokenSeconds = 3_600

/** Writes a kubeconfig with exactly the rights that `deploy/rbac.yaml` gives: tests run with no more than users do. */
export async function asHoldfast(cluster: Cluster, file: string): Promise<string> {
  for (const document of parseAllDocuments(await readFile(rbacFile, 'utf8'))) {
    const object = document.toJS()
    for (const subject of object.subjects ?? []) subject.namespace = 'default'
    const answer = await cluster.api.request('POST', places[object.kind] as string, object)
    if (answer.status !== 201) throw new Error(`${object.kind}: ${answer.status} ${answer.text}`)
  }
  const { body } = await cluster.api.request('POST', `${places.ServiceAccount}/holdfast/token`, {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
    spec: { expirationSeconds: tokenSeconds },
  })
  const config = parse(await readFile(cluster.kubeconfig, 'utf8'))
  config.users[0].user = { token: body.status.token }
  await writeFile(file, stringify(config, { lineWidth: 0 }), { mode: 0o600 })
  return file
}
