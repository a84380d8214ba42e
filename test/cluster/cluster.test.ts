import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../support/go-build.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'
import { type Cluster, programEntries, status, up } from './index.ts'
import { until } from './machine/until.ts'
import { suiteName } from './testing/names.ts'
import { createPod, endOf, isRunning, logOf, podThat } from './testing/pods.ts'

const soonMs = 60_000
const say = (line: string): void => console.log(line)

describe('a cluster', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await up({ name: suiteName('one'), kwokNodes: 2 }, say)
  })
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]()
  })

  it('runs a pod to its end and keeps its exit code', async () => {
    await createPod(cluster, 'ends', 'exit 7')
    expect(await endOf(cluster, 'ends')).toMatchObject({ exitCode: 7, reason: 'Error' })
  })

  it('lets the kernel kill a container that takes more memory than its limit', async () => {
    const limits = { memory: '32Mi' }
    await createPod(cluster, 'greedy', '', {
      container: { command: ['tail', '/dev/zero'], resources: { limits } },
    })
    expect(await endOf(cluster, 'greedy')).toMatchObject({ exitCode: 137, reason: 'OOMKilled' })
  })

  it('evicts a pod that fills its volume past the limit', async () => {
    await createPod(cluster, 'full', 'head -c 8000000 /dev/zero > /data/all; sleep 600', {
      spec: { volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }] },
      container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    })
    const { status: seen } = await podThat(cluster, 'full', (pod) => pod.status.phase === 'Failed')
    expect(seen.reason).toBe('Evicted')
  })

  it('serves the words of a container until its pod is gone', async () => {
    await createPod(cluster, 'talks', 'echo to out; echo to err >&2')
    await endOf(cluster, 'talks')
    expect((await logOf(cluster, 'talks')).split('\n').sort()).toEqual(['', 'to err', 'to out'])
    await cluster.api.request('DELETE', '/api/v1/namespaces/default/pods/talks')
    await until('the pod is gone', soonMs, async () => /not found/.test(await logOf(cluster, 'talks')))
  })

  it('issues projected tokens that are bound to audience and pod', async () => {
    const pod = await createPod(cluster, 'knows', 'cat /tokens/token; echo; sleep 600', {
      spec: { volumes: [{ name: 'tokens', projected: { sources: [tokenFor('holdfast')] } }] },
      container: { volumeMounts: [{ name: 'tokens', mountPath: '/tokens' }] },
    })
    const token = await until('the token', soonMs, async () => {
      const text = (await logOf(cluster, 'knows')).trim()
      return text.startsWith('ey') && text
    })
    const good = await review(cluster, token, 'holdfast')
    expect(good).toMatchObject({ authenticated: true, audiences: ['holdfast'] })
    expect(good.user.username).toBe('system:serviceaccount:default:default')
    expect(good.user.extra['authentication.kubernetes.io/pod-uid']).toEqual([pod.metadata.uid])
    expect((await review(cluster, token, 'somebody-else')).authenticated ?? false).toBe(false)
    await cluster.api.request('DELETE', '/api/v1/namespaces/default/pods/knows')
    await until('the token ends with its pod', soonMs, async () => {
      return (await review(cluster, token, 'holdfast')).authenticated !== true
    })
  })

  it('lets pods reach the API server under its service, and a program of the test that is exposed', async () => {
    const server = createServer((_, response) => response.end('from outside')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = await cluster.expose((server.address() as AddressInfo).port)
    const script = `wget -q -O - http://${address}/ && nc -w 5 $KUBERNETES_SERVICE_HOST $KUBERNETES_SERVICE_PORT </dev/null`
    await createPod(cluster, 'reaches', script)
    const end = await endOf(cluster, 'reaches')
    server.close()
    expect([await logOf(cluster, 'reaches'), end.exitCode]).toEqual(['from outside', 0])
  })

  it('runs an image made of a program of this machine and its libraries', async () => {
    const name = 'holdfast.test/node:1'
    const entries = await programEntries(process.execPath, '/bin/node')
    await cluster.load({ name, entries, command: ['/bin/node', '--print', '6 * 7'] })
    await createPod(cluster, 'counts', '', { container: { image: name, command: undefined } })
    expect(await endOf(cluster, 'counts')).toMatchObject({ exitCode: 0 })
    expect(await logOf(cluster, 'counts')).toBe('42\n')
  })

  it('is used with kubectl by a person', async () => {
    const kubectl = path.join(cluster.place.folder, 'kubectl')
    const names = await run(kubectl, ['--kubeconfig', cluster.kubeconfig, 'get', 'nodes', '--output', 'name'])
    expect(names.split('\n').filter(Boolean).sort()).toEqual(['node/kwok-1', 'node/kwok-2', 'node/node-1'])
  })

  it('shows each part with its process and its health', async () => {
    const parts = (await status(cluster.place)) ?? []
    const words = Object.fromEntries(parts.map(({ name, health }) => [name, health]))
    expect(words).toMatchObject({
      etcd: 'healthy',
      apiserver: 'healthy',
      'controller-manager': 'healthy',
      scheduler: 'healthy',
      'forward-api': 'healthy',
      'node-1-kubelet': 'healthy, node ready',
      'node-1-containerd': 'runs',
    })
    for (const { pid } of parts) expect(pid).toBeGreaterThan(1)
  })

  it('plays pods on KWOK nodes, without a process', async () => {
    await createPod(cluster, 'played', 'exit 1', {
      spec: { nodeName: 'kwok-1', tolerations: [{ operator: 'Exists' }] },
    })
    await podThat(cluster, 'played', isRunning)
    const ended = { metadata: { annotations: { 'holdfast.test/exit-code': '3' } } }
    const file = '/api/v1/namespaces/default/pods/played'
    await cluster.api.request('PATCH', file, ended, 'application/merge-patch+json')
    expect(await endOf(cluster, 'played')).toMatchObject({ exitCode: 3, reason: 'Error' })
    await cluster.api.request('DELETE', file)
    await until(
      'the pod is gone',
      soonMs,
      async () => (await cluster.api.request('GET', file)).status === 404,
    )
  })

  it('keeps its pods when its API server, containerd and kubelet are killed and started again', async () => {
    await createPod(cluster, 'stays', 'sleep 600')
    const before = await podThat(cluster, 'stays', isRunning)
    for (const part of ['node-1-kubelet', 'node-1-containerd', 'apiserver']) await cluster.parts.kill(part)
    expect((await status(cluster.place))?.find(({ name }) => name === 'apiserver')?.health).toBe('ended')
    for (const part of ['apiserver', 'node-1-containerd', 'node-1-kubelet']) await cluster.startAgain(part)
    await until('the API server is back', soonMs, () =>
      cluster.api.request('GET', '/readyz').then(
        ({ status: code }) => code === 200,
        () => false,
      ),
    )
    await createPod(cluster, 'later', 'exit 0')
    expect(await endOf(cluster, 'later')).toMatchObject({ exitCode: 0 })
    const after = await podThat(cluster, 'stays', isRunning)
    expect(after.status.containerStatuses[0].containerID).toBe(before.status.containerStatuses[0].containerID)
  })

  it('runs at the same time as a second one, with two nodes', async () => {
    const second = untilTestEnds(await up({ name: suiteName('two'), nodes: 2 }, say))
    for (const nodeName of ['node-1', 'node-2']) {
      await createPod(second, `on-${nodeName}`, 'hostname -i', { spec: { nodeName } })
      expect(await endOf(second, `on-${nodeName}`)).toMatchObject({ exitCode: 0 })
    }
    expect(await logOf(second, 'on-node-2')).toMatch(/^10\.244\.2\./)
    const other = await cluster.api.request('GET', '/api/v1/namespaces/default/pods/on-node-1')
    expect(other.status).toBe(404)
  })
})

function tokenFor(audience: string): object {
  return { serviceAccountToken: { path: 'token', audience, expirationSeconds: 600 } }
}

// biome-ignore lint/suspicious/noExplicitAny: the API server's object
async function review(cluster: Cluster, token: string, audience: string): Promise<any> {
  const { body } = await cluster.api.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token, audiences: [audience] },
  })
  return body.status
}
