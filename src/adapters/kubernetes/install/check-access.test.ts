import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { AccessRule } from '../client/index.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { clusterRules, namespaceRules, optionalRules } from './access-rules.ts'
import { checkAccess } from './check-access.ts'

const never = new AbortController().signal
type Attributes = { readonly verb: string; readonly resource: string; readonly subresource?: string }

/** An API server that allows what this says, and knows RunnerPools or not. */
async function withRights(allows: (asked: Attributes) => boolean, knowsPools = true) {
  const { api, cluster } = await bench()
  api.faults.push((request, response) => {
    const send = (code: number, body: object) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.path.endsWith('/selfsubjectaccessreviews')) {
      const { spec } = request.body as { spec: { resourceAttributes: Attributes } }
      send(201, { kind: 'SelfSubjectAccessReview', status: { allowed: allows(spec.resourceAttributes) } })
      return false
    }
    if (!request.path.endsWith('/runnerpools')) return true
    if (knowsPools) send(200, { items: [], metadata: { resourceVersion: '1' } })
    else status(response, 404, 'NotFound', 'the server could not find the requested resource')
    return false
  })
  const check = () =>
    checkAccess(cluster, 'ci', never).then(
      () => null,
      (error: unknown) => error as HoldfastError,
    )
  return { api, check }
}

describe('the rights of Holdfast in a cluster', () => {
  it('are checked before the first write, and nothing is logged where all are granted', async () => {
    const { api, check } = await withRights(() => true)
    expect(await check()).toBeNull()
    const asked = api.requests.map(({ body }) => body).filter((body) => body !== undefined)
    expect(asked).toContainEqual(
      expect.objectContaining({
        spec: {
          resourceAttributes: {
            group: '',
            resource: 'pods',
            subresource: 'log',
            verb: 'get',
            namespace: 'ci',
          },
        },
      }),
    )
  })

  it('are reported as one list where some are missing', async () => {
    const { check } = await withRights(
      ({ verb, resource }) => verb !== 'delete' && resource !== 'tokenreviews',
    )
    const error = await check()
    expect(error).toBeInstanceOf(HoldfastError)
    expect(error).toMatchObject({
      code: 'E_CLUSTER_RIGHTS',
      params: { missing: ['delete pods', 'create tokenreviews.authentication.k8s.io (cluster-wide)'] },
    })
    expect(error?.message).toContain('"ci"')
  })

  it('are left to the first real request where the check itself is forbidden', async () => {
    const { api, check } = await withRights(() => true)
    api.faults.unshift((request, response) => {
      if (!request.path.endsWith('/selfsubjectaccessreviews')) return true
      status(response, 403, 'Forbidden', 'no')
      return false
    })
    expect(await check()).toBeNull()
  })

  it('are of no use where the cluster does not know RunnerPools', async () => {
    const { check } = await withRights(() => true, false)
    expect(await check()).toMatchObject({ code: 'E_CLUSTER_KIND_MISSING' })
  })

  it('are exactly those that deploy/rbac.yaml grants', async () => {
    const file = new URL('../../../../deploy/rbac.yaml', import.meta.url)
    const objects = parseAllDocuments(await readFile(file, 'utf8')).map((each) => each.toJS())
    const rulesOf = (kind: string) => objects.find((object) => object.kind === kind).rules
    expect(rulesOf('Role')).toEqual(rulesFor([...namespaceRules, ...optionalRules]))
    const paths = ['/.well-known/openid-configuration', '/openid/v1/jwks']
    const discovery = { nonResourceURLs: paths, verbs: ['get'] } // without it tokens are reviewed
    expect(rulesOf('ClusterRole')).toEqual([...rulesFor(clusterRules), discovery])
  })
})

function rulesFor(rights: readonly AccessRule[]) {
  return rights.map(({ group, resource, verbs }) => ({ apiGroups: [group], resources: [resource], verbs }))
}
