import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { remedySecretsContract } from '../../../../test/contract/remedy-secrets/index.ts'
import { putArcState } from '../../../../test/support/arc-server.ts'
import type { ObjectRef } from '../../../domain/snapshot/index.ts'
import { SecretsTwin } from '../../../remedy/testing/secrets-twin.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { createStoredCredentials } from './arc-controller.ts'
import { createRemedyCredentials } from './remedy-credentials.ts'
import { createRemedySecrets } from './remedy-secrets.ts'

const never = new AbortController().signal
const pathOf = ({ namespace }: Pick<ObjectRef, 'namespace'>) => `/api/v1/namespaces/${namespace}/secrets`
const encoded = (data: Readonly<Record<string, string>>, coding: 'base64' | 'utf8') =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      Buffer.from(value, coding === 'base64' ? 'utf8' : 'base64').toString(coding),
    ]),
  )

describe('on a cluster', () => {
  remedySecretsContract(async () => {
    const { api, cluster } = await bench()
    return {
      secrets: createRemedySecrets(cluster),
      put: (place, data) =>
        void api.truth.put(pathOf(place), place.name, { metadata: place, data: encoded(data, 'base64') }),
      data(place) {
        const found = api.truth.get(pathOf(place), place.name)?.data
        return found === undefined ? undefined : encoded(found as Record<string, string>, 'utf8')
      },
      loseNextAnswer: () =>
        void api.faults.push(({ method, path, body }, response) => {
          if (method !== 'POST') return true
          const { metadata, ...rest } = body as { metadata: ObjectRef }
          api.truth.put(path, metadata.name, { ...rest, metadata })
          response.destroy()
          return undefined
        }),
    }
  })
})

describe('in the twin', () => {
  remedySecretsContract(async () => {
    const twin = new SecretsTwin()
    const keyOf = ({ namespace, name }: ObjectRef) => `${namespace}/${name}`
    return {
      secrets: twin.secrets,
      put: (place, data) => twin.put(keyOf(place), data),
      data: (place) => twin.stored.get(keyOf(place))?.data,
      loseNextAnswer: () => void Object.assign(twin, { loseNextAnswer: 'after' }),
    }
  })
})

async function served() {
  const { api, cluster } = await bench()
  putArcState(api.truth, '0.14.2/a-healthy-idle')
  return { api, cluster, credentials: createRemedyCredentials(cluster) }
}

const credential = { namespace: 'arc-runners', name: 'arc-demo-gha-rs-github-secret' }
const container = { namespace: 'arc-systems', name: 'listener', container: 'listener' }

describe('the use of a credential', () => {
  it('is that of the sets of its namespace that name it', async () => {
    const { credentials } = await served()
    expect(await credentials.setsNaming(credential, never)).toEqual([
      { namespace: 'arc-runners', name: 'arc-demo' },
    ])
    expect(await credentials.setsNaming({ ...credential, name: 'another' }, never)).toEqual([])
    expect(await credentials.setsNaming({ ...credential, namespace: 'arc-systems' }, never)).toEqual([])
  })

  it('is not known where sets or logs may not be read', async () => {
    const { api, credentials } = await served()
    api.faults.push((_, response) => void status(response, 403, 'Forbidden', 'no'))
    await expect(credentials.setsNaming(credential, never)).rejects.toMatchObject({
      code: 'E_CLUSTER_REFUSED',
    })
    await expect(credentials.readLog(container, never)).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
  })

  it('shows in the lines of a listener, without secrets', async () => {
    const { api, credentials } = await served()
    api.faults.push(({ path }, response) => {
      if (!path.endsWith('/log')) return true
      response.end(
        '2026-11-16T12:00:00Z one\n2026-11-16T12:00:01Z token=ghp_0123456789abcdefghij0123456789abcdef\n',
      )
      return undefined
    })
    const lines = await credentials.readLog(container, never)
    expect(lines).toEqual(['one', expect.not.stringContaining('abcdefghij')])
  })
})

describe.each([
  ['remedy-secret-drift-rbac.yaml', false],
  ['remedy-credentials-rbac.yaml', true],
])('deploy/%s', (name, makesCopies) => {
  it('grants what the fix asks for besides the other rights, in each namespace, and no more', async () => {
    const { api, cluster, credentials } = await served()
    const secrets = createRemedySecrets(cluster)
    const data = { github_token: 'eA==' }
    const place = { name: 'github-app' }
    const [own, other] = ['arc-runners', 'arc-systems'].map((namespace) => {
      const metadata = { ...place, namespace }
      const { uid, resourceVersion } = api.truth.put(pathOf(metadata), place.name, {
        metadata,
        data,
      }).metadata
      return { ...metadata, uid, resourceVersion }
    })
    if (own === undefined || other === undefined) throw new Error('both are there')
    const copyTo = (state: typeof other | null) =>
      secrets.copyKeys({ keys: ['github_token'], from: own, to: { ...other, state } }, never)
    await secrets.readSecret(other, '', never)
    await copyTo(other)
    if (makesCopies) {
      await copyTo(null)
      await createStoredCredentials(cluster).readCredential(own, never)
    }
    await credentials.setsNaming(other, never)
    await credentials.readLog(container, never).catch(() => [])
    const asked = new Set(api.requests.map(({ method, path }) => rightOf(method, path)))
    const file = new URL(`../../../../deploy/${name}`, import.meta.url)
    const granted = parseAllDocuments(await readFile(file, 'utf8'))
      .map((each) => each.toJS())
      .filter(({ kind }) => kind === 'Role')
      .flatMap(({ metadata, rules }) =>
        rules.flatMap(({ resources, verbs }: { resources: string[]; verbs: string[] }) =>
          resources.flatMap((resource) =>
            verbs.map((verb) => `${verb} ${resource} in ${metadata.namespace}`),
          ),
        ),
      )
    expect([...asked].sort()).toEqual([...granted].sort())
  })
})

function rightOf(method: string, path: string): string {
  const [, namespace, resource, name, part] =
    /\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path) ?? []
  const verbs: Readonly<Record<string, string>> = { PATCH: 'patch', POST: 'create' }
  const verb = verbs[method] ?? (name === undefined ? 'list' : 'get')
  return `${verb} ${resource}${part === undefined ? '' : `/${part}`} in ${namespace}`
}
