import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { probesContract } from '../../../../../test/contract/probes/index.ts'
import { putArcState } from '../../../../../test/support/arc-server.ts'
import { ProbeWorld } from '../../../../remedy/testing/probe-world.ts'
import { place as lanePlace } from '../../../../remedy/testing/world.ts'
import { status } from '../../client/testing/api-server.ts'
import { bench } from '../../client/testing/bench.ts'
import { createProbes } from './probes.ts'

const never = new AbortController().signal
const lane = { namespace: 'arc-runners', name: 'arc-demo' }
const setsPath = '/apis/actions.github.com/v1alpha1/namespaces/arc-runners/autoscalingrunnersets'
const podsPath = '/api/v1/namespaces/arc-runners/pods'

async function served() {
  const { api, cluster } = await bench()
  putArcState(api.truth, '0.14.2/a-healthy-idle')
  return { api, probes: createProbes(cluster) }
}

describe('at an API server', () => {
  probesContract(async () => {
    const { api, probes } = await served()
    const set = api.truth.get(setsPath, lane.name) as unknown as { metadata: { generation: number } }
    return {
      probes,
      lane,
      changeLane: () =>
        void api.truth.put(setsPath, lane.name, {
          ...set,
          metadata: { ...set.metadata, generation: set.metadata.generation + 1 },
        }),
      writePod: ({ name }) => void api.truth.change(podsPath, name, { status: { phase: 'Running' } }, true),
      loseNextAnswer: () => {
        api.faults.push(({ method, body }, response) => {
          if (method !== 'POST') return true
          api.truth.create(podsPath, 'holdfast-probe-nix-cache', body as Record<string, unknown>)
          response.destroy()
          return undefined
        })
      },
    }
  })

  it('a pod that the cluster refuses was not made, and its words are kept', async () => {
    const { api, probes } = await served()
    const { set, generation } = (await probes.readLane(lane, never)) ?? expect.fail('the state has a set')
    api.faults.push(({ method }, response) => {
      if (method !== 'POST') return true
      status(response, 403, 'Forbidden', 'exceeded quota: pods')
      return undefined
    })
    const order = {
      kind: 'image-pull',
      probeId: 'a',
      node: null,
      registry: null,
      deadlineSeconds: 60,
    } as const
    await expect(
      probes.make({ ...order, lane: { ...lane, uid: set.uid, generation } }, never),
    ).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
  })

  it('a lane that is not there is none', async () => {
    expect(await (await served()).probes.readLane({ ...lane, name: 'other' }, never)).toBeNull()
  })
})

describe('the twin', () => {
  probesContract(async () => {
    const world = new ProbeWorld()
    return {
      probes: world.probes,
      lane: lanePlace,
      changeLane: () => {
        if (world.lane !== null) world.lane = { ...world.lane, generation: 4 }
      },
      writePod: ({ name }) => world.write(name),
      loseNextAnswer: () => {
        world.loseNextAnswer = 'after'
      },
    }
  })
})

it('needs no more than deploy/probe-rbac.yaml gives: no Secret, no log, no pod of another name', async () => {
  const file = new URL('../../../../../deploy/probe-rbac.yaml', import.meta.url)
  const roles = parseAllDocuments(await readFile(file, 'utf8'))
    .map((document) => document.toJS())
    .filter(({ kind }) => kind === 'Role')
  expect(roles.map(({ rules }) => rules)).toEqual([
    [
      { apiGroups: ['actions.github.com'], resources: ['autoscalingrunnersets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['create'] },
      {
        apiGroups: [''],
        resources: ['pods'],
        verbs: ['get', 'delete'],
        resourceNames: ['holdfast-probe-nix-cache', 'holdfast-probe-npm-tls', 'holdfast-probe-image-pull'],
      },
    ],
  ])
})
