import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { status } from '../testing/api-server.ts'
import { hurriedClock } from '../testing/bench.ts'
import { createPodHost } from './host.ts'
import { EVENTS, hostGround, NODES, never, PODS, QUOTAS } from './testing/ground.ts'
import { aSite } from './testing/plan.ts'
import { running, terminated, waiting } from './testing/pod.ts'

const name = 'linux-00000001'

describe('a list', () => {
  it('throws before the first one has come, and where nothing proved it for long', async () => {
    const { api, host, clock, cluster, log, put } = await hostGround({}, hurriedClock(100))
    const idleHost = createPodHost({
      ...{ cluster, clock, log, site: aSite, plan: () => undefined, writer: () => cluster.writer },
    })
    await expect(idleHost.list()).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
    await expect(idleHost.ending(name)).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
    put()
    await expect.poll(() => host.list()).toHaveLength(1)
    api.faults.push((_, response) => void status(response, 503, 'Unavailable', 'down'))
    api.cut()
    const since = clock.now()
    await expect
      .poll(() => host.list().catch((error) => error.code), { timeout: 20_000 })
      .toBe('E_CLUSTER_VIEW_OLD')
    expect(clock.now() - since).toBeGreaterThan(100_000)
    await expect(host.nodes()).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
    await expect(host.room('linux')).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
  })

  it('keeps a pod that went without us as one that ended, until it is released', async () => {
    const { api, host, put, seen, requests } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toMatchObject({ state: 'running' })
    api.truth.remove(PODS, name)
    await expect.poll(() => seen(name)).toMatchObject({ state: 'exited', program: 'started' })
    expect(requests('GET', `${PODS}/${name}`)).toHaveLength(1)
    const ending = await host.ending(name)
    expect(ending?.missing.join()).toMatch(/out of reach.*removed while it ran/)
    await host.release(name)
    expect(await seen(name)).toBeUndefined()
    expect(await host.find(name, never)).toBeNull()
  })

  it('does not take a pod for gone that is only out of the watch’s sight', async () => {
    const { api, host, put, seen, told, requests } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toBeDefined()
    const there = api.truth.get(PODS, name)
    told.length = 0
    api.truth.tick()
    const metadata = { ...there?.metadata, resourceVersion: String(api.truth.version) }
    api.send(PODS, `${JSON.stringify({ type: 'DELETED', object: { ...there, metadata } })}\n`)
    // Once that it left the watch, once what the cluster says of it.
    await expect.poll(() => told).toEqual([name, name])
    expect(requests('GET', `${PODS}/${name}`)).toHaveLength(1)
    expect(await seen(name)).toMatchObject({ state: 'running', program: 'started' })
    expect(await host.ending(name)).toBeNull()
  })

  it('forgets what a leader released where we do not lead, without asking', async () => {
    const { api, put, seen, writeWith, requests } = await hostGround()
    put({ runner: terminated(0), status: { phase: 'Succeeded' } })
    await expect.poll(() => seen(name)).toBeDefined()
    writeWith(() => {
      throw new HoldfastError('E_CLUSTER_NOT_LEADER', { holder: 'we', reason: 'it is over' })
    })
    api.truth.remove(PODS, name)
    await expect.poll(() => seen(name)).toBeUndefined()
    expect(requests('GET', `${PODS}/${name}`)).toHaveLength(0)
  })
})

describe('what changes', () => {
  it('is told by name: of pods, of their nodes, of warnings about them, and of a node that does nothing', async () => {
    const { api, put, told, seen } = await hostGround()
    const conditions = [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: new Date().toISOString() },
      { type: 'PodReadyToStartContainers', status: 'False' },
    ]
    const heard = async (act: () => unknown) => {
      told.length = 0
      act()
      await expect.poll(() => told, { timeout: 10_000 }).toContain(name)
    }
    await heard(() => put({ runner: waiting('ContainerCreating'), status: { conditions } }))
    await heard(() => {})
    expect((await seen(name))?.trouble?.kind).toBe('NodeSilent')
    await heard(() =>
      api.truth.put(EVENTS, 'e-1', {
        ...{ metadata: { namespace: 'ci' }, reason: 'FailedCreatePodSandBox', message: 'no network' },
        ...{
          type: 'Warning',
          involvedObject: { kind: 'Pod', name, uid: api.truth.get(PODS, name)?.metadata.uid },
        },
      }),
    )
    expect((await seen(name))?.trouble).toMatchObject({ kind: 'SandboxFailed' })
    await heard(() => api.truth.put(NODES, 'node-1', { spec: { unschedulable: true } }))
    await heard(() => api.truth.remove(NODES, 'node-1'))
    expect((await seen(name))?.silentSince).toEqual(expect.any(Number))
  })

  it('shows in the room that quotas leave', async () => {
    const { api, host } = await hostGround()
    expect(await host.room('linux')).toEqual({ more: 8, trouble: null })
    api.truth.put(QUOTAS, 'small', {
      ...{ metadata: { namespace: 'ci' } },
      status: {
        hard: { pods: '5', 'requests.memory': '3Gi' },
        used: { pods: '1', 'requests.memory': '1Gi' },
      },
    })
    await expect.poll(() => host.room('linux')).toEqual({ more: 2, trouble: null })
  })
})
