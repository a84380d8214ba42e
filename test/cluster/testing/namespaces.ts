import type { Cluster } from '../cluster.ts'
import { until } from '../machine/until.ts'
import { arcApi, arcPlurals } from './arc-kinds.ts'

const readyWithinMs = 60_000
const goneWithinMs = 120_000
const mergePatch = 'application/merge-patch+json'
const pathOf = (name: string): string => `/api/v1/namespaces/${name}`

// biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
type Json = any

/** Makes a namespace, and waits until pods can be made in it. One that a killed test left there goes first. */
export async function makeNamespace(cluster: Cluster, name: string): Promise<void> {
  const { api } = cluster
  if ((await api.request('GET', pathOf(name))).status === 200) await tearNamespace(cluster, name)
  const made = await api.request('POST', '/api/v1/namespaces', { kind: 'Namespace', metadata: { name } })
  if (made.status !== 201) throw new Error(`namespace ${name}: ${made.status} ${made.text}`)
  const needed = ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']
  await until(`namespace ${name} takes pods`, readyWithinMs, async () => {
    const found = await Promise.all(needed.map((each) => api.request('GET', `${pathOf(name)}/${each}`)))
    return found.every(({ status }) => status === 200)
  })
}

/** Deletes a namespace and removes all finalizers in it: no controller runs any more that would. */
export async function tearNamespace({ api }: Cluster, name: string): Promise<void> {
  await api.request('DELETE', pathOf(name))
  await until(`namespace ${name} is gone`, goneWithinMs, async () => {
    for (const kind of kindsIn(name)) {
      const answer = await api.request('GET', kind)
      for (const { metadata } of (answer.status === 200 ? answer.body.items : []) as Json[]) {
        if (metadata.finalizers === undefined) continue
        await api.request('PATCH', `${kind}/${metadata.name}`, { metadata: { finalizers: null } }, mergePatch)
      }
    }
    return (await api.request('GET', pathOf(name))).status === 404
  })
}

/** Kinds of which some have finalizers; not every cluster knows all of them. */
function kindsIn(name: string): readonly string[] {
  return [
    `${pathOf(name)}/pods`,
    `${pathOf(name)}/configmaps`,
    `/apis/holdfast.dev/v1alpha1/namespaces/${name}/runnerpools`,
    ...arcPlurals.map((plural) => `${arcApi}/namespaces/${name}/${plural}`),
  ]
}
