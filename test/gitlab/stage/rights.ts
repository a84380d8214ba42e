import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { Cluster } from '../../cluster/index.ts'
import type { Json } from './stage.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const tokenSeconds = 3_600

/** An account with exactly the rights of one file of `deploy/`, of which everything stands in this namespace. */
export interface Account extends AsyncDisposable {
  readonly kubeconfig: string
}

/** Makes the objects of the file, and a kubeconfig for its account. */
export async function accountOf(
  cluster: Cluster,
  { file, namespace, folder }: { readonly file: string; readonly namespace: string; readonly folder: string },
): Promise<Account> {
  const text = await readFile(fileURLToPath(new URL(`../../../deploy/${file}`, import.meta.url)), 'utf8')
  const objects = parseAllDocuments(text).map((document) => placed(document.toJS(), namespace))
  const made: string[] = []
  for (const object of objects) {
    const where = placeOf(object, namespace)
    await cluster.api.request('DELETE', `${where}/${object.metadata.name}`)
    const { status, text } = await cluster.api.request('POST', where, object)
    if (status !== 201) throw new Error(`${where}: ${status} ${text}`)
    made.push(`${where}/${object.metadata.name}`)
  }
  const account = objects.find(({ kind }) => kind === 'ServiceAccount').metadata.name
  const { body } = await cluster.api.request(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: tokenSeconds },
    },
  )
  const config = parse(await readFile(cluster.kubeconfig, 'utf8'))
  config.users[0].user = { token: body.status.token }
  const kubeconfig = path.join(folder, `kubeconfig-${account}`)
  await writeFile(kubeconfig, stringify(config, { lineWidth: 0 }), { mode: 0o600 })
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      for (const each of made) await cluster.api.request('DELETE', each)
    },
  }
}

/** Several suites share a cluster: what belongs to no namespace gets a name of this suite. */
function placed(object: Json, namespace: string): Json {
  const named = (name: string): string => `${name}-${namespace}`
  object.metadata.name = named(object.metadata.name)
  if (object.metadata.namespace !== undefined) object.metadata.namespace = namespace
  if (object.roleRef !== undefined) object.roleRef.name = named(object.roleRef.name)
  for (const subject of object.subjects ?? [])
    Object.assign(subject, { name: named(subject.name), namespace })
  return object
}

function placeOf({ kind }: Json, namespace: string): string {
  const plural = `${kind.toLowerCase()}s`
  if (kind === 'ServiceAccount') return `/api/v1/namespaces/${namespace}/${plural}`
  return kind.startsWith('Cluster') ? `${rbac}/${plural}` : `${rbac}/namespaces/${namespace}/${plural}`
}
