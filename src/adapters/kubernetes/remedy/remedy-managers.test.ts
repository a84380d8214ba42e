import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { RemedyManagers } from '../../../ports/remedy-managers.ts'
import { GitlabWorld } from '../../../remedy/testing/gitlab-token-world.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { createRemedyCredentials } from './remedy-credentials.ts'
import { createRemedyManagers } from './remedy-managers.ts'
import { createRemedySecrets, createSecretValues } from './remedy-secrets.ts'

const never = new AbortController().signal
const place = { namespace: 'gitlab-runner', name: 'gitlab-runner' }
const path = '/apis/apps/v1/namespaces/gitlab-runner/deployments'
const secretsPath = '/api/v1/namespaces/gitlab-runner/secrets'
const image = 'gitlab/gitlab-runner:v17'

const spec = {
  replicas: 1,
  selector: { matchLabels: { app: 'gitlab-runner' } },
  template: {
    metadata: { annotations: { theirs: 'stays' } },
    spec: {
      containers: [
        {
          name: 'runner',
          image,
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'by-env', key: 'k' } } }],
          envFrom: [{ secretRef: { name: 'by-env-from' } }],
        },
      ],
      volumes: [
        { name: 'a', secret: { secretName: 'by-volume' } },
        {
          name: 'b',
          projected: { sources: [{ secret: { name: 'by-projection' } }, { configMap: { name: 'c' } }] },
        },
      ],
    },
  },
}

async function served(given: object = {}) {
  const { api, cluster } = await bench()
  const counts = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, observedGeneration: 1 }
  api.truth.put(path, place.name, { metadata: { ...place, generation: 1 }, spec, status: counts, ...given })
  return { api, cluster, managers: createRemedyManagers(cluster) }
}

/** The contract of managers' Deployments: the real one and its twin keep it. */
function contract(
  open: () => Promise<{ managers: RemedyManagers; change(): void; loseNextAnswer(): void }>,
): void {
  const read = async (managers: RemedyManagers) => {
    const found = await managers.readDeployment(place, never)
    if (found === null) throw new Error('it is there')
    return found
  }

  it('are restarted in exactly the named state, and known again by the mark', async () => {
    const { managers, change } = await open()
    const { uid, resourceVersion, mark } = await read(managers)
    expect(mark).toBeNull()
    expect(await managers.restart({ ...place, uid: 'another', resourceVersion }, 'm1', never)).toBe('gone')
    change()
    expect(await managers.restart({ ...place, uid, resourceVersion }, 'm1', never)).toBe('conflict')
    expect((await read(managers)).mark).toBeNull()
    const now = await read(managers)
    expect(await managers.restart({ ...place, ...now }, 'm1', never)).toBe('restarted')
    expect((await read(managers)).mark).toBe('m1')
  })

  it('may have been restarted where the answer is lost', async () => {
    const { managers, loseNextAnswer } = await open()
    const now = await read(managers)
    loseNextAnswer()
    expect(await managers.restart({ ...place, ...now }, 'm1', never)).toBe('unknown')
    expect((await read(managers)).mark).toBe('m1')
  })
}

describe('managers’ Deployments on a cluster', () => {
  contract(async () => {
    const { api, managers } = await served()
    return {
      managers,
      change: () => void api.truth.change(path, place.name, { metadata: { labels: { a: 'b' } } }, true),
      loseNextAnswer: () =>
        void api.faults.push(({ method, body }, response) => {
          if (method !== 'PATCH') return true
          api.truth.change(path, place.name, body as Record<string, unknown>, true)
          response.destroy()
          return undefined
        }),
    }
  })

  it('say their images, Secrets and pods, and whether they are rolled out', async () => {
    const { managers } = await served()
    expect(await managers.readDeployment(place, never)).toMatchObject({
      images: [image],
      selector: { app: 'gitlab-runner' },
      secretNames: ['by-volume', 'by-projection', 'by-env', 'by-env-from'],
      isRolledOut: true,
    })
    expect(await managers.readDeployment({ ...place, name: 'none' }, never)).toBeNull()
  })

  it.each([
    [
      'of an older generation',
      { observedGeneration: 0, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
    ],
    [
      'with a pod of before',
      { observedGeneration: 1, replicas: 2, updatedReplicas: 1, availableReplicas: 1 },
    ],
    ['with none available', { observedGeneration: 1, replicas: 1, updatedReplicas: 1 }],
  ])('are not rolled out with a status %s', async (_, counts) => {
    const { managers } = await served({ status: counts })
    expect(await managers.readDeployment(place, never)).toMatchObject({ isRolledOut: false })
  })

  it('are an error where they may not be read or written, or have another shape', async () => {
    const { api, managers } = await served({ spec: {} })
    await expect(managers.readDeployment(place, never)).rejects.toMatchObject({ code: 'E_CLUSTER_ANSWER' })
    api.faults.push((_, response) => void status(response, 403, 'Forbidden', 'no'))
    const target = { ...place, uid: 'u', resourceVersion: '1' }
    await expect(managers.restart(target, 'm', never)).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
  })
})

describe('managers’ Deployments in the twin', () => {
  contract(async () => {
    const world = new GitlabWorld()
    return {
      managers: world.managers,
      change: () => void Object.assign(world, { version: world.version + 1 }),
      loseNextAnswer: () => void Object.assign(world, { loseNextAnswer: 'after' }),
    }
  })
})

describe('a single value of a Secret', () => {
  it('is that of exactly the named state', async () => {
    const { api, cluster } = await served()
    const data = { 'runner-token': Buffer.from('planted-glrt\n').toString('base64') }
    const { uid, resourceVersion } = api.truth.put(secretsPath, 'token', { metadata: place, data }).metadata
    const values = createSecretValues(cluster)
    const secret = { namespace: place.namespace, name: 'token', uid, resourceVersion }
    expect(await values.read(secret, 'runner-token', never)).toBe('planted-glrt')
    expect(await values.read(secret, 'other', never)).toBeNull()
    expect(await values.read({ ...secret, resourceVersion: '0' }, 'runner-token', never)).toBeNull()
    expect(await values.read({ ...secret, name: 'gone' }, 'runner-token', never)).toBeNull()
  })
})

describe('deploy/remedy-gitlab-token-rbac.yaml', () => {
  it('grants what the fix asks for, in the namespace of the manager, and no more', async () => {
    const { api, cluster, managers } = await served()
    const found = await managers.readDeployment(place, never)
    if (found === null) throw new Error('it is there')
    await managers.restart({ ...place, ...found }, 'm1', never)
    const secrets = createRemedySecrets(cluster)
    await secrets.readSecret(place, '', never)
    await secrets.listPods(place.namespace, never)
    const log = { ...place, container: 'runner' }
    await createRemedyCredentials(cluster)
      .readLog(log, never)
      .catch(() => [])
    const asked = new Set(api.requests.map(({ method, path: asked }) => rightOf(method, asked)))
    const file = new URL('../../../../deploy/remedy-gitlab-token-rbac.yaml', import.meta.url)
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
  const verb = method === 'PATCH' ? 'patch' : name === undefined ? 'list' : 'get'
  return `${verb} ${resource}${part === undefined ? '' : `/${part}`} in ${namespace}`
}
