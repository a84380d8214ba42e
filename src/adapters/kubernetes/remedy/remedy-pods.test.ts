import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { remedyPodsContract } from '../../../../test/contract/remedy-pods/index.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { createRemedyPods } from './remedy-pods.ts'

const never = new AbortController().signal
const path = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`

/** A server with two pods. */
async function served() {
  const { api, cluster, clock } = await bench()
  const put = (namespace: string, name: string, labels = {}) =>
    api.truth.put(path(namespace), name, {
      metadata: { namespace, labels },
      spec: { containers: [{ name: 'build', image: 'x' }] },
      status: { phase: 'Running' },
    })
  const { metadata } = put('ci', 'one')
  put('else', 'two')
  // The API server of the tests lists one namespace at a time.
  api.faults.push((request, response) => {
    if (request.path !== '/api/v1/pods') return true
    const items = ['ci', 'else'].flatMap((namespace) => api.truth.objects(path(namespace)))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: '1' }, items }))
    return undefined
  })
  const pods = createRemedyPods(cluster, clock)
  const change = () => void put('ci', 'one', { changed: 'yes' })
  const { uid, resourceVersion } = metadata
  return { api, pods, change, target: { namespace: 'ci', name: 'one', uid, resourceVersion } }
}

remedyPodsContract(served)

describe('pods of a cluster', () => {
  it('of which not all may be read are not read at all', async () => {
    const { api, pods } = await served()
    api.faults.unshift((_, response) => void status(response, 403, 'Forbidden', 'no'))
    await expect(pods.listPods(never)).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
  })

  it('whose deletion is refused are an error, and one without an answer is unknown', async () => {
    const { api, pods, target } = await served()
    api.failNext(1, (_, response) => void status(response, 403, 'Forbidden', 'no'))
    await expect(pods.removePod(target, never)).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
    api.faults.push(({ method }, response) => {
      if (method !== 'DELETE') return true
      response.destroy()
      return undefined
    })
    expect(await pods.removePod(target, never)).toBe('unknown')
  })

  it('need rights that can change nothing but single pods of one namespace', async () => {
    const text = await readFile(
      new URL('../../../../deploy/remedy-gitlab-rbac.yaml', import.meta.url),
      'utf8',
    )
    const objects = parseAllDocuments(text).map((document) => document.toJS())
    const rules = objects.flatMap(({ kind, rules: given = [] }) =>
      given.map((rule: object) => ({ kind, ...rule })),
    )
    expect(rules).toEqual([
      { kind: 'ClusterRole', apiGroups: [''], resources: ['pods'], verbs: ['list'] },
      { kind: 'Role', apiGroups: [''], resources: ['pods'], verbs: ['get', 'delete'] },
    ])
  })
})
