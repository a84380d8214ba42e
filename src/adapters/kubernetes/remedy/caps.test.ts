import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { capsContract } from '../../../../test/contract/caps/index.ts'
import { putArcState } from '../../../../test/support/arc-server.ts'
import { RemedyWorld } from '../../../remedy/testing/world.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { createRemedyCluster } from './remedy-cluster.ts'

const never = new AbortController().signal
const place = { namespace: 'arc-runners', name: 'arc-demo' }
const setsPath = '/apis/actions.github.com/v1alpha1/namespaces/arc-runners/autoscalingrunnersets'

async function served() {
  const { api, cluster, clock } = await bench()
  putArcState(api.truth, '0.14.2/a-healthy-idle')
  const remedy = createRemedyCluster({ cluster, clock, controllerNamespace: 'arc-systems' })
  const set = () => api.truth.get(setsPath, place.name) as unknown as { spec: Record<string, unknown> }
  return { api, remedy, set }
}

describe('at an API server', () => {
  capsContract(async () => {
    const { api, remedy, set } = await served()
    return {
      cluster: remedy,
      place,
      write: (maxRunners) =>
        void api.truth.put(setsPath, place.name, { ...set(), spec: { ...set().spec, maxRunners } }),
      loseNextAnswer: () => {
        api.faults.push(({ method, body }, response) => {
          if (method !== 'PATCH') return true
          api.truth.change(setsPath, place.name, body as Record<string, unknown>, true)
          response.destroy()
          return undefined
        })
      },
    }
  })

  it('are patched under UID and resourceVersion, and nothing else of the set is named', async () => {
    const { api, remedy } = await served()
    const caps = await remedy.readCaps(place, never)
    if (caps === null) throw new Error('the state has a set')
    await remedy.patchCaps({ ...place, ...caps }, { minRunners: 0, maxRunners: 0, mark: 'a1' }, never)
    const { uid, resourceVersion } = caps
    expect(api.requests.filter(({ method }) => method !== 'GET').map(({ body }) => body)).toEqual([
      {
        metadata: { uid, resourceVersion, annotations: { 'holdfast.dev/managed-apply': 'a1' } },
        spec: { minRunners: 0, maxRunners: 0 },
      },
    ])
  })

  it('of a set that is not there are none, and a refused patch throws', async () => {
    const { api, remedy } = await served()
    expect(await remedy.readCaps({ ...place, name: 'other' }, never)).toBeNull()
    const caps = await remedy.readCaps(place, never)
    if (caps === null) throw new Error('the state has a set')
    api.failNext(1, (_, response) => void status(response, 403, 'Forbidden', 'no'))
    await expect(
      remedy.patchCaps({ ...place, ...caps }, { minRunners: 0, maxRunners: 0, mark: null }, never),
    ).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
  })

  it.each([
    ['maxRunners', 'ten'],
    ['minRunners', 1.5],
  ])('with %s %j are not read', async (field, value) => {
    const { api, remedy, set } = await served()
    api.truth.put(setsPath, place.name, { ...set(), spec: { ...set().spec, [field]: value } })
    await expect(remedy.readCaps(place, never)).rejects.toMatchObject({ code: 'E_CLUSTER_ANSWER' })
  })
})

describe('in a simulated world', () => {
  capsContract(async () => {
    const world = new RemedyWorld()
    return {
      cluster: world.cluster,
      place: { namespace: 'arc-runners', name: 'linux' },
      write: (maxRunners) => world.caps.write({ maxRunners }),
      loseNextAnswer: () => void Object.assign(world, { loseNextAnswer: 'after' }),
    }
  })
})

describe('deploy/apply-rbac.yaml', () => {
  it('adds to deploy/remedy-rbac.yaml what caps need, where the runners are, and no more', async () => {
    const { api, remedy } = await served()
    const caps = await remedy.readCaps(place, never)
    if (caps === null) throw new Error('the state has a set')
    await remedy.patchCaps({ ...place, ...caps }, { minRunners: 0, maxRunners: 0, mark: 'a1' }, never)
    const asked = new Set(
      api.requests.map(({ method }) => `${method.toLowerCase()} autoscalingrunnersets in arc-runners`),
    )
    const text = await readFile(new URL('../../../../deploy/apply-rbac.yaml', import.meta.url), 'utf8')
    const roles = parseAllDocuments(text)
      .map((each) => each.toJS())
      .filter(({ kind }) => kind === 'Role')
    const granted = roles.flatMap(({ metadata, rules }) =>
      rules.flatMap(({ resources, verbs }: { resources: string[]; verbs: string[] }) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} in ${metadata.namespace}`)),
      ),
    )
    expect([...granted].sort()).toEqual([...asked].sort())
  })
})
