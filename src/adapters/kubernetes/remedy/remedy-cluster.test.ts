import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { putArcState } from '../../../../test/support/arc-server.ts'
import { selectRunners } from '../../../domain/remedy/index.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { createRemedyCluster } from './remedy-cluster.ts'

const never = new AbortController().signal
const place = { namespace: 'arc-runners', name: 'arc-demo' }
const runnersPath = '/apis/actions.github.com/v1alpha1/namespaces/arc-runners/ephemeralrunners'

/** A server with the objects of a state that ARC's real controller wrote. */
async function served(state: string) {
  const { api, cluster, clock } = await bench()
  putArcState(api.truth, state)
  const remedy = createRemedyCluster({ cluster, clock, controllerNamespace: 'arc-systems' })
  return { api, remedy }
}

describe('a set of ARC', () => {
  it('is read whole: its generations, runners, listeners and their pods', async () => {
    const { remedy } = await served('0.12.1/i-stale-generation-one-busy')
    const reading = await remedy.readSet(place, never)
    expect(reading.set?.name).toBe('arc-demo')
    expect(reading.generations).toHaveLength(2)
    expect(reading.runners.length).toBeGreaterThan(0)
    for (const { finalizers } of reading.runners)
      expect(finalizers.join()).toContain('registration-finalizer')
    const scope = { isStaleGeneration: true, minAgeMs: 0 }
    const taken = selectRunners(reading, scope, reading.at).filter(({ arm }) => arm === 'stale-generation')
    expect(taken.length).toBeGreaterThan(0)
  })

  it('that is not there has no set', async () => {
    const { remedy } = await served('0.14.2/a-healthy-idle')
    const reading = await remedy.readSet({ ...place, name: 'other' }, never)
    expect([reading.set, reading.runners]).toEqual([null, []])
  })

  it('of which one object has another shape is not read at all', async () => {
    const { api, remedy } = await served('0.14.2/a-healthy-idle')
    api.truth.put('/apis/actions.github.com/v1alpha1/namespaces/arc-systems/autoscalinglisteners', 'odd', {
      metadata: { namespace: 'arc-systems' },
    })
    await expect(remedy.readSet(place, never)).rejects.toMatchObject({ code: 'E_CLUSTER_ANSWER' })
  })

  it.each(['ephemeralrunners', 'ephemeralrunnersets', 'autoscalinglisteners', 'autoscalingrunnersets'])(
    'of which %s may not be read is not read at all',
    async (kind) => {
      const { api, remedy } = await served('0.14.2/a-healthy-idle')
      api.faults.unshift(({ path }, response) => {
        if (!path.endsWith(`/${kind}`)) return true
        status(response, 403, 'Forbidden', `${kind} may not be listed`)
        return undefined
      })
      await expect(remedy.readSet(place, never)).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
    },
  )
})

describe('one deletion', () => {
  async function target() {
    const { api, remedy } = await served('0.14.2/a-healthy-idle')
    const [runner] = (await remedy.readSet(place, never)).runners
    if (runner === undefined) throw new Error('the state has runners')
    const { namespace, name, uid, resourceVersion } = runner
    const deletions = () => api.requests.filter(({ method }) => method === 'DELETE')
    return { api, remedy, deletions, exact: { namespace, name, uid, resourceVersion } }
  }

  it('names UID and resourceVersion, and writes nothing else', async () => {
    const { api, remedy, deletions, exact } = await target()
    expect(await remedy.removeRunner(exact, never)).toBe('removed')
    const { uid, resourceVersion } = exact
    expect(deletions().map(({ body }) => body)).toEqual([
      expect.objectContaining({ preconditions: { uid, resourceVersion } }),
    ])
    expect(new Set(api.requests.map(({ method }) => method))).toEqual(new Set(['GET', 'DELETE']))
  })

  it('of an object that changed or went does nothing', async () => {
    const { api, remedy, exact } = await target()
    const before = api.truth.get(runnersPath, exact.name)
    api.truth.put(runnersPath, exact.name, { ...before })
    expect(await remedy.removeRunner(exact, never)).toBe('conflict')
    api.truth.remove(runnersPath, exact.name)
    expect(await remedy.removeRunner(exact, never)).toBe('gone')
  })

  it('that is refused throws, and one whose answer is lost is unknown', async () => {
    const { api, remedy, exact } = await target()
    api.failNext(1, (_, response) => void status(response, 403, 'Forbidden', 'no'))
    await expect(remedy.removeRunner(exact, never)).rejects.toMatchObject({ code: 'E_CLUSTER_REFUSED' })
    api.faults.push(({ method }, response) => {
      if (method !== 'DELETE') return true
      response.destroy()
      return undefined
    })
    expect(await remedy.removeRunner(exact, never)).toBe('unknown')
  })
})

describe('deploy/remedy-rbac.yaml', () => {
  const file = new URL('../../../../deploy/remedy-rbac.yaml', import.meta.url)

  it('grants what a remedy asks for, in each namespace, and no more', async () => {
    const { api, remedy } = await served('0.14.2/a-healthy-idle')
    const [runner] = (await remedy.readSet(place, never)).runners
    if (runner === undefined) throw new Error('the state has runners')
    await remedy.readPod(runner, never)
    await remedy.removeRunner(runner, never)
    const asked = new Set(api.requests.map(({ method, path }) => rightOf(method, path)))
    const roles = parseAllDocuments(await readFile(file, 'utf8'))
      .map((each) => each.toJS())
      .filter(({ kind }) => kind === 'Role')
    const granted = roles.flatMap(({ metadata, rules }) =>
      rules.flatMap(({ resources, verbs }: { resources: string[]; verbs: string[] }) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} in ${metadata.namespace}`)),
      ),
    )
    expect([...asked].sort()).toEqual([...granted].sort())
  })
})

function rightOf(method: string, path: string): string {
  const [, namespace, resource, name] = /\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? []
  const verb = method === 'DELETE' ? 'delete' : name === undefined ? 'list' : 'get'
  return `${verb} ${resource} in ${namespace}`
}
