import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { Cluster } from '../cluster/index.ts'
import type { Json } from './stage.ts'

const rbacFile = fileURLToPath(new URL('../../deploy/audit-rbac.yaml', import.meta.url))
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const clusterKinds: Readonly<Record<string, string>> = {
  ClusterRole: `${rbac}/clusterroles`,
  ClusterRoleBinding: `${rbac}/clusterrolebindings`,
}
const tokenSeconds = 3_600

/** An account of the cluster that may do what `deploy/audit-rbac.yaml` gives, or less. */
export interface Auditor extends AsyncDisposable {
  readonly kubeconfig: string
}

export interface AuditorOrder {
  readonly word: string
  readonly namespace: string
  readonly folder: string
  /** Resources that are taken out of every rule; all: no rule is left. */
  readonly without?: readonly string[] | 'all'
}

/** Makes an account with exactly these rights, and a kubeconfig for it. */
export async function makeAuditor(cluster: Cluster, order: AuditorOrder): Promise<Auditor> {
  const { word, namespace, folder, without = [] } = order
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  const made: string[] = []
  const named = (name: string): string => `${name}-${namespace}-${word}`
  for (const document of parseAllDocuments(await readFile(rbacFile, 'utf8'))) {
    const object = withNames(document.toJS(), namespace, named)
    if (object.rules !== undefined) object.rules = lessRules(object.rules, without)
    const where = clusterKinds[object.kind] ?? accounts
    const answer = await cluster.api.request('POST', where, object)
    if (answer.status !== 201) throw new Error(`${object.kind}: ${answer.status} ${answer.text}`)
    made.push(`${where}/${object.metadata.name}`)
  }
  const { body } = await cluster.api.request('POST', `${accounts}/${named('holdfast-audit')}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  })
  const config = parse(await readFile(cluster.kubeconfig, 'utf8'))
  config.users[0].user = { token: body.status.token }
  const kubeconfig = path.join(folder, `kubeconfig-${word}`)
  await writeFile(kubeconfig, stringify(config, { lineWidth: 0 }), { mode: 0o600 })
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      for (const each of made) await cluster.api.request('DELETE', each)
    },
  }
}

/** Several suites and accounts share a cluster: each has names of its own for what belongs to no namespace. */
function withNames(object: Json, namespace: string, named: (name: string) => string): Json {
  object.metadata.name = named(object.metadata.name)
  if (object.metadata.namespace !== undefined) object.metadata.namespace = namespace
  if (object.roleRef !== undefined) object.roleRef.name = named(object.roleRef.name)
  for (const subject of object.subjects ?? [])
    Object.assign(subject, { name: named(subject.name), namespace })
  return object
}

function lessRules(rules: readonly Json[], without: readonly string[] | 'all'): readonly Json[] {
  if (without === 'all') return []
  return rules
    .map((rule) => ({ ...rule, resources: rule.resources.filter((each: string) => !without.includes(each)) }))
    .filter(({ resources }) => resources.length > 0)
}
