import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { Cluster } from '../index.ts'

const rbacFile = fileURLToPath(new URL('../../../deploy/rbac.yaml', import.meta.url))
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const places = (namespace: string): Readonly<Record<string, string>> => ({
  ServiceAccount: `/api/v1/namespaces/${namespace}/serviceaccounts`,
  Role: `${rbac}/namespaces/${namespace}/roles`,
  RoleBinding: `${rbac}/namespaces/${namespace}/rolebindings`,
  ClusterRole: `${rbac}/clusterroles`,
  ClusterRoleBinding: `${rbac}/clusterrolebindings`,
})
const tokenSeconds = 3_600
const alreadyThere = 409

/**
 * Writes a kubeconfig with exactly the rights that `deploy/rbac.yaml` gives in a namespace: tests run with no more than
 * users do. What belongs to no namespace is there once, and bound for each namespace that asks.
 */
export async function asHoldfast(cluster: Cluster, namespace: string, file: string): Promise<string> {
  const at = places(namespace)
  for (const document of parseAllDocuments(await readFile(rbacFile, 'utf8'))) {
    const object = document.toJS()
    if (object.metadata.namespace !== undefined) object.metadata.namespace = namespace
    for (const subject of object.subjects ?? []) subject.namespace = namespace
    if (object.kind === 'ClusterRoleBinding') object.metadata.name = bindingName(namespace)
    const answer = await cluster.api.request('POST', at[object.kind] as string, object)
    const isThere = object.kind.startsWith('ClusterRole') && answer.status === alreadyThere
    if (answer.status !== 201 && !isThere) throw new Error(`${object.kind}: ${answer.status} ${answer.text}`)
  }
  const { body } = await cluster.api.request('POST', `${at.ServiceAccount}/holdfast/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  })
  const config = parse(await readFile(cluster.kubeconfig, 'utf8'))
  config.users[0].user = { token: body.status.token }
  await writeFile(file, stringify(config, { lineWidth: 0 }), { mode: 0o600 })
  return file
}

/** Takes the rights away that stand outside of the namespace. */
export async function forgetHoldfast(cluster: Cluster, namespace: string): Promise<void> {
  await cluster.api.request('DELETE', `${rbac}/clusterrolebindings/${bindingName(namespace)}`)
}

const bindingName = (namespace: string): string => `holdfast-${namespace}`
