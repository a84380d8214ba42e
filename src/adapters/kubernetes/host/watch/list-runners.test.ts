import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { status } from '../../client/testing/api-server.ts'
import { hurriedClock } from '../../client/testing/bench.ts'
import { createPodHost } from '../host.ts'
import { events, hostGround, never, nodesPath, pods, quotas } from '../testing/ground.ts'
import { aSite } from '../testing/plan.ts'
import { running, terminated, waiting } from '../testing/pod.ts'

const name = 'linux-00000001'

describe('a list', () => {
  it('throws before the first one has come, and where nothing proved it for long', async () => {
    const clock = skippingClock()
    const { api, host, cluster, log, put } = await hostGround({}, clock)
    const idleHost = createPodHost({
      cluster,
      clock,
      log,
      site: aSite,
      plan: () => undefined,
      writer: () => cluster.writer,
    })
    await expect(idleHost.list()).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
    await expect(idleHost.ending(name)).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
    put()
    await expect.poll(() => host.list()).toHaveLength(1)
    api.faults.push((_, response) => void status(response, 503, 'Unavailable', 'down'))
    api.cut()
    clock.skip(100_000)
    expect(await host.list()).toHaveLength(1)
    expect(await host.nodes()).toHaveLength(1)
    expect(await host.headroom('linux')).toMatchObject({ problem: null })
    clock.skip(50_001)
    await expect(host.list()).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
    await expect(host.nodes()).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
    await expect(host.headroom('linux')).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
  })

  it('keeps a pod that went without us as one that ended, until it is released', async () => {
    const { api, host, put, seen, requests } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toMatchObject({ state: 'running' })
    api.truth.remove(pods, name)
    await expect.poll(() => seen(name)).toMatchObject({ state: 'exited', program: 'started' })
    expect(requests('GET', `${pods}/${name}`)).toHaveLength(1)
    const ending = await host.ending(name)
    expect(ending?.missing.join()).toMatch(/out of reach.*removed while it ran/)
    await host.release(name)
    expect(await seen(name)).toBeUndefined()
    expect(await host.find(name, never)).toBeNull()
  })

  it('does not take a pod for gone that is only out of the watch’s sight', async () => {
    const { api, host, put, seen, reported, requests } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toBeDefined()
    const there = api.truth.get(pods, name)
    reported.length = 0
    api.truth.tick()
    const metadata = { ...there?.metadata, resourceVersion: String(api.truth.version) }
    api.send(pods, `${JSON.stringify({ type: 'DELETED', object: { ...there, metadata } })}\n`)
    // First that it left the watch, then what the cluster says of it.
    await expect.poll(() => reported).toEqual([name, name])
    expect(requests('GET', `${pods}/${name}`)).toHaveLength(1)
    expect(await seen(name)).toMatchObject({ state: 'running', program: 'started' })
    expect(await host.ending(name)).toBeNull()
  })

  it('drops a pod that the leader released, without a request, where we do not lead', async () => {
    const { api, put, seen, writeWith, requests } = await hostGround()
    put({ runner: terminated(0), status: { phase: 'Succeeded' } })
    await expect.poll(() => seen(name)).toBeDefined()
    writeWith(() => {
      throw new HoldfastError('E_CLUSTER_NOT_LEADER', { holder: 'we', reason: 'it is over' })
    })
    api.truth.remove(pods, name)
    await expect.poll(() => seen(name)).toBeUndefined()
    expect(requests('GET', `${pods}/${name}`)).toHaveLength(0)
  })
})

describe('a change', () => {
  it('is reported by the name of its runner: pods, their nodes, warnings about them, and a node that does nothing', async () => {
    const { api, put, reported, seen } = await hostGround()
    const conditions = [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: new Date().toISOString() },
      { type: 'PodReadyToStartContainers', status: 'False' },
    ]
    const expectReport = async (act: () => unknown) => {
      reported.length = 0
      act()
      await expect.poll(() => reported, { timeout: 10_000 }).toContain(name)
    }
    await expectReport(() => put({ runner: waiting('ContainerCreating'), status: { conditions } }))
    await expectReport(() => {})
    expect((await seen(name))?.problem?.kind).toBe('NodeSilent')
    await expectReport(() =>
      api.truth.put(events, 'e-1', {
        metadata: { namespace: 'ci' },
        reason: 'FailedCreatePodSandBox',
        message: 'no network',
        type: 'Warning',
        involvedObject: { kind: 'Pod', name, uid: api.truth.get(pods, name)?.metadata.uid },
      }),
    )
    expect((await seen(name))?.problem).toMatchObject({ kind: 'SandboxFailed' })
    await expectReport(() => api.truth.put(nodesPath, 'node-1', { spec: { unschedulable: true } }))
    await expectReport(() => api.truth.remove(nodesPath, 'node-1'))
    expect((await seen(name))?.silentSince).toEqual(expect.any(Number))
  })

  it('shows in the headroom that quotas leave', async () => {
    const { api, host } = await hostGround()
    expect(await host.headroom('linux')).toEqual({ more: 8, problem: null })
    api.truth.put(quotas, 'small', {
      metadata: { namespace: 'ci' },
      status: {
        hard: { pods: '5', 'requests.memory': '3Gi' },
        used: { pods: '1', 'requests.memory': '1Gi' },
      },
    })
    await expect.poll(() => host.headroom('linux')).toEqual({ more: 2, problem: null })
  })
})

/** A clock in real time that a test can set forward, without firing timers. */
function skippingClock() {
  const real = hurriedClock(1)
  let skippedMs = 0
  return {
    ...real,
    now: () => real.now() + skippedMs,
    skip(ms: number) {
      skippedMs += ms
    },
  }
}
