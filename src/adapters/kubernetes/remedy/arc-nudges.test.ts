import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { arcNudgesContract } from '../../../../test/contract/arc-nudges/index.ts'
import { putArcState } from '../../../../test/support/arc-server.ts'
import { NudgesTwin } from '../../../remedy/testing/nudges-twin.ts'
import { RemedyWorld } from '../../../remedy/testing/world.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { createStoredCredentials, readControllerLog } from './arc-controller.ts'
import { createArcNudges } from './arc-nudges.ts'
import { createRemedyCluster } from './remedy-cluster.ts'

const never = new AbortController().signal
const place = { namespace: 'arc-runners', name: 'arc-demo' }
const arc = '/apis/actions.github.com/v1alpha1/namespaces/arc-runners'
const setsPath = `${arc}/autoscalingrunnersets`
const runnersPath = `${arc}/ephemeralrunners`

async function served() {
  const { api, cluster, clock } = await bench()
  putArcState(api.truth, '0.14.2/a-healthy-idle')
  const set = api.truth.get(setsPath, place.name)
  api.truth.put(setsPath, place.name, { ...set, status: { phase: 'Outdated' } } as never)
  const remedy = createRemedyCluster({ cluster, clock, controllerNamespace: 'arc-systems' })
  return { api, cluster, remedy, nudges: createArcNudges(cluster) }
}

describe('at an API server', () => {
  arcNudgesContract(async () => {
    const { api, remedy, nudges } = await served()
    return {
      nudges,
      cluster: remedy,
      place,
      writeRunner: (name) => void api.truth.put(runnersPath, name, api.truth.get(runnersPath, name) as never),
      loseNextAnswer: () => {
        api.faults.push(({ method, path, body }, response) => {
          if (method !== 'PATCH') return true
          api.truth.change(runnersPath, path.split('/').at(-1) ?? '', body as Record<string, unknown>, true)
          response.destroy()
          return undefined
        })
      },
    }
  })

  it('name nothing but what they write, under UID and resourceVersion', async () => {
    const { api, remedy, nudges } = await served()
    const { set, runners } = await remedy.readSet(place, never)
    const [runner] = runners
    if (set === null || runner === undefined) throw new Error('there is a set with a runner')
    await nudges.resetPhase(set, never)
    await nudges.touchRunner(runner, never)
    const exact = ({ uid, resourceVersion }: typeof set | typeof runner) => ({ uid, resourceVersion })
    expect(api.requests.filter(({ method }) => method !== 'GET')).toMatchObject([
      {
        method: 'PATCH',
        path: `${setsPath}/arc-demo/status`,
        body: { metadata: exact(set), status: { phase: 'Pending' } },
      },
      {
        method: 'PATCH',
        path: `${runnersPath}/${runner.name}`,
        body: {
          metadata: { ...exact(runner), annotations: { 'holdfast.dev/looked-at': runner.resourceVersion } },
        },
      },
    ])
    for (const { body } of api.requests) expect(JSON.stringify(body ?? '')).not.toContain('finalizers')
  })

  it('throw where the cluster refuses', async () => {
    const { api, remedy, nudges } = await served()
    const [runner] = (await remedy.readSet(place, never)).runners
    if (runner === undefined) throw new Error('there is a runner')
    api.failNext(1, (_, response) => void status(response, 403, 'Forbidden', 'no'))
    await expect(nudges.touchRunner(runner, never)).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
  })
})

describe('in a simulated world', () => {
  arcNudgesContract(async () => {
    const world = new RemedyWorld()
    world.set = { ...world.set, phase: 'Outdated' }
    world.addRunner('r1')
    return {
      nudges: new NudgesTwin(world).nudges,
      cluster: world.cluster,
      place: { namespace: 'arc-runners', name: 'linux' },
      writeRunner: (name) => world.change(name),
      loseNextAnswer: () => void Object.assign(world, { loseNextAnswer: 'after' }),
    }
  })
})

describe('the credential of ARC', () => {
  const encoded = (data: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    )
  it.each([
    [{ github_token: 'ghp_x' }, { kind: 'token', token: 'ghp_x' }],
    [
      { github_app_id: '1', github_app_installation_id: '2', github_app_private_key: 'pem' },
      { kind: 'app', id: '1', installationId: 2, privateKey: 'pem' },
    ],
    [{ github_app_id: '1', github_app_pem: 'pem' }, null],
    [{}, null],
  ])('in a Secret with %j is read as ARC reads it', async (data, expected) => {
    const { api, cluster } = await served()
    const path = '/api/v1/namespaces/arc-runners/secrets'
    api.truth.put(path, 'arc', { data: encoded(data as Record<string, string>) } as never)
    const { readCredential } = createStoredCredentials(cluster)
    expect(await readCredential({ namespace: 'arc-runners', name: 'arc' }, never)).toEqual(expected)
    expect(await readCredential({ namespace: 'arc-runners', name: 'none' }, never)).toBeNull()
  })

  it('without a controller of ARC has no log to be read: that is no silence', async () => {
    const { cluster } = await served()
    await expect(readControllerLog(cluster, 'arc-systems', never)).rejects.toMatchObject({
      code: 'E_CLUSTER_ANSWER',
    })
  })
})

describe('the rights of the nudges', () => {
  it.each([
    ['remedy-outdated-rbac.yaml', ['patch autoscalingrunnersets/status in arc-runners']],
    [
      'remedy-finalizers-rbac.yaml',
      [
        'get ephemeralrunners in arc-runners',
        'patch ephemeralrunners in arc-runners',
        'get secrets in arc-runners',
        'list pods in arc-systems',
        'get pods/log in arc-systems',
      ],
    ],
  ])('in deploy/%s are what is asked for, and no more', async (file, expected) => {
    const text = await readFile(new URL(`../../../../deploy/${file}`, import.meta.url), 'utf8')
    const granted = parseAllDocuments(text)
      .map((each) => each.toJS())
      .filter(({ kind }) => kind === 'Role')
      .flatMap(({ metadata, rules }) =>
        rules.flatMap(({ resources, verbs }: { resources: string[]; verbs: string[] }) =>
          resources.flatMap((resource) =>
            verbs.map((verb) => `${verb} ${resource} in ${metadata.namespace}`),
          ),
        ),
      )
    expect(granted).toEqual(expected)
  })
})
