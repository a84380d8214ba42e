import { describe, expect, it } from 'vitest'
import { status } from '../../client/testing/api-server.ts'
import { hurriedClock } from '../../client/testing/bench.ts'
import { hostGround, nodesPath, pods, readyNode } from '../testing/ground.ts'
import { running, terminated, waiting } from '../testing/pod.ts'

const name = 'linux-00000001'
const idle = { reason: 'nobody needs it', graceMs: 1_500, evenIfStarted: false }

describe('a stop', () => {
  it('deletes exactly the state that shows an idle runner, with the grace of the order', async () => {
    const { api, host, put, seen, requests } = await hostGround()
    const pod = put({ poller: running(), runner: waiting() })
    await expect.poll(() => seen(name)).toBeDefined()
    expect(await host.stop(name, idle)).toBe('asked')
    expect(requests('DELETE').map(({ body }) => body)).toMatchObject([
      {
        gracePeriodSeconds: 2,
        preconditions: { uid: pod.metadata.uid, resourceVersion: pod.metadata.resourceVersion },
      },
    ])
    expect(api.truth.get(pods, name)).toBeUndefined()
  })

  it('leaves a program that has started the grace of its pod, which is that of its pool', async () => {
    const { host, put, seen, requests } = await hostGround()
    put({ poller: terminated(0), runner: running() })
    await expect.poll(() => seen(name)).toBeDefined()
    expect(await host.stop(name, { ...idle, evenIfStarted: true })).toBe('asked')
    expect(requests('DELETE').map(({ body }) => body)).toEqual([
      expect.not.objectContaining({ gracePeriodSeconds: expect.anything() }),
    ])
  })

  it('is refused where the program started between the look and the delete', async () => {
    const { api, host, put, seen, requests } = await hostGround()
    put({ poller: running(), runner: waiting() })
    await expect.poll(() => seen(name)).toBeDefined()
    // The watch is late: the cluster knows already that the program runs.
    api.deliver = () => []
    put({ poller: terminated(0), runner: running() })
    expect(await host.stop(name, idle)).toBe('refused')
    expect(requests('DELETE')).toHaveLength(1)
    expect(api.truth.get(pods, name)).toBeDefined()
    expect(await host.stop(name, { ...idle, evenIfStarted: true })).toBe('asked')
    expect(api.truth.get(pods, name)).toBeUndefined()
  })

  it('is refused for an isolated runner on a silent node: its last status proves nothing', async () => {
    const { api, host, put, seen } = await hostGround()
    put({ poller: running(), runner: waiting() })
    api.truth.put(nodesPath, 'node-1', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })
    await expect.poll(() => seen(name)).toMatchObject({ program: 'unknown', silentSince: expect.any(Number) })
    expect(await host.stop(name, idle)).toBe('refused')
  })

  it('is refused for an isolated runner while it is unknown whether its node is silent', async () => {
    const { api, host, put, seen, requests } = await hostGround({}, hurriedClock(100))
    put({ poller: running(), runner: waiting() })
    await expect.poll(() => seen(name)).toBeDefined()
    api.faults.push(({ path }, response) => {
      if (!path.startsWith(nodesPath)) return true
      status(response, 503, 'Unavailable', 'down')
      return false
    })
    api.cut()
    const nodes = () => host.nodes().catch((error) => error.code)
    await expect.poll(nodes, { timeout: 20_000 }).toBe('E_CLUSTER_VIEW_OLD')
    expect(await host.stop(name, idle)).toBe('refused')
    expect(requests('DELETE')).toHaveLength(0)
  })

  it('of a runner without a pod succeeds', async () => {
    const { host, requests } = await hostGround()
    expect(await host.stop('linux-ffffffff', idle)).toBe('asked')
    expect(requests('DELETE')).toHaveLength(0)
  })
})

describe('a release', () => {
  it('decides again where its pod changed meanwhile, and hides it before the watch does', async () => {
    const { api, host, put, seen, requests } = await hostGround()
    put({ runner: terminated(0), status: { phase: 'Succeeded' } })
    await expect.poll(() => seen(name)).toBeDefined()
    api.deliver = () => []
    put({ runner: terminated(0), status: { phase: 'Succeeded', message: 'another word' } })
    await host.release(name)
    expect(requests('PATCH')).toHaveLength(1)
    expect(requests('DELETE')).toHaveLength(1)
    expect(api.truth.get(pods, name)).toBeUndefined()
    expect(await seen(name)).toBeUndefined()
    await host.release(name)
    expect(requests('PATCH')).toHaveLength(1)
  })

  it('leaves the finalizers of others alone', async () => {
    const { api, host, put, seen } = await hostGround()
    const finalizers = ['example.com/theirs', 'holdfast.dev/evidence']
    put({ metadata: { finalizers }, status: { phase: 'Failed' } })
    await expect.poll(() => seen(name)).toBeDefined()
    await host.release(name)
    const events = api.truth.since(pods, 0).map(({ object }) => object.metadata.finalizers)
    expect(events).toEqual([finalizers, ['example.com/theirs'], ['example.com/theirs']])
  })

  it('is retried where its effect is unknown', async () => {
    const { api, host, put, seen } = await hostGround()
    put({ status: { phase: 'Failed' } })
    await expect.poll(() => seen(name)).toBeDefined()
    api.failNext(1, (_, response) => void response.destroy())
    await expect(host.release(name)).rejects.toMatchObject({ code: 'E_CLUSTER_UNREACHABLE' })
    expect(await seen(name)).toMatchObject({ state: 'exited' })
    await host.release(name)
    expect(api.truth.get(pods, name)).toBeUndefined()
  })
})

describe('a protection', () => {
  it('is one write, in whatever state the pod is by then, and not a second where the watch is late', async () => {
    const { api, host, put, seen, requests } = await hostGround()
    const words = { poller: terminated(0), runner: running() }
    put(words)
    await expect.poll(() => seen(name)).toBeDefined()
    api.deliver = () => []
    put({ ...words, status: { message: 'another word' } })
    await host.protect(name)
    await host.protect(name)
    expect(requests('PATCH')).toHaveLength(1)
    expect(api.truth.get(pods, name)?.metadata.annotations).toMatchObject({
      'karpenter.sh/do-not-disrupt': 'true',
    })
  })

  it('writes down in which boot its node is, once, so that its end shows whether that was another', async () => {
    const { api, host, put, seen, requests } = await hostGround()
    const boot = async (bootID: string, isCordoned: boolean) => {
      const status = { ...readyNode.status, nodeInfo: { bootID } }
      api.truth.put(nodesPath, 'node-1', { spec: { unschedulable: isCordoned }, status })
      await expect.poll(async () => (await host.nodes())[0]?.isCordoned).toBe(isCordoned)
    }
    await boot('boot-1', true)
    put({ poller: terminated(0), runner: running() })
    await expect.poll(() => seen(name)).toBeDefined()
    await host.protect(name)
    const annotations = api.truth.get(pods, name)?.metadata.annotations as Record<string, string>
    expect(annotations).toMatchObject({ 'holdfast.dev/boot-id': 'boot-1' })
    await boot('boot-2', false)
    put({
      poller: terminated(0),
      runner: running(),
      metadata: { annotations: { 'holdfast.dev/boot-id': 'boot-1' } },
    })
    await expect.poll(() => requests('PATCH').length).toBeGreaterThan(1)
    expect(JSON.stringify(requests('PATCH').slice(1))).not.toContain('boot-id')
    const made = { state: { terminated: { exitCode: 255, reason: 'Unknown' } } }
    const marked = { annotations: { ...annotations } }
    put({ poller: terminated(0), runner: made, metadata: marked, status: { phase: 'Failed' } })
    await expect.poll(() => seen(name)).toMatchObject({ state: 'exited' })
    const { pod } = (await host.ending(name)) ?? {}
    expect([pod?.bootIdAtStart, pod?.nodeAtEnd?.bootId]).toEqual(['boot-1', 'boot-2'])
  })

  it('is restored by itself where a person removed the labels or the finalizer', async () => {
    const { host, put, seen, requests } = await hostGround()
    const words = { poller: terminated(0), runner: running() }
    put(words)
    await expect.poll(() => seen(name)).toBeDefined()
    await host.protect(name)
    await expect.poll(() => seen(name)).toMatchObject({ isProtected: true })
    put(words)
    await expect.poll(() => requests('PATCH')).toHaveLength(2)
    await expect.poll(() => seen(name)).toMatchObject({ isProtected: true })
  })
})
