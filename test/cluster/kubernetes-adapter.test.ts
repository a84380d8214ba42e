import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createCluster, findConnection, type Cluster as Ours } from '../../src/adapters/kubernetes/index.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createEntropy } from '../../src/platform/entropy.ts'
import { KeptLog } from '../../src/platform/lifecycle/fakes.ts'
import type { ClusterObject } from '../../src/ports/cluster.ts'
import { isOlderToken } from '../../src/ports/leadership.ts'
import { type Cluster, up } from './index.ts'
import { suiteName } from './testing/names.ts'

const never = new AbortController().signal
const soon = { timeout: 60_000, interval: 100 }
const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', isNamespaced: true }
const namespace = 'default'

interface ConfigMap extends ClusterObject {
  readonly data?: Readonly<Record<string, string>>
}

describe('the cluster adapter on a real API server', () => {
  let real: Cluster
  let ours: Ours
  beforeAll(async () => {
    real = await up({ name: suiteName('adapter') }, (line) => console.log(line))
    const log = new KeptLog()
    const [clock, entropy] = [createClock(), createEntropy()]
    const connection = await findConnection({ kubeconfig: real.kubeconfig, env: {}, clock, log })
    ours = createCluster({ connection, clock, entropy, log })
  })
  afterAll(async () => {
    await ours?.close()
    await real?.[Symbol.asyncDispose]()
  })

  const named = (name: string, data = {}) => ({ metadata: { name, namespace }, data })
  const exactly = ({ metadata: { name, uid, resourceVersion } }: ClusterObject) => ({
    name,
    namespace,
    uid,
    resourceVersion,
  })
  async function created(name: string): Promise<ClusterObject> {
    const outcome = await ours.writer.create(configMaps, named(name), never)
    if (outcome.kind !== 'created') throw new Error(`${name} is there already`)
    return outcome.object
  }
  async function view(labelSelector?: string) {
    const stop = new AbortController()
    const followed = ours.view<ConfigMap>({
      kind: configMaps,
      namespace,
      labelSelector,
      transform: (object) => object as unknown as ConfigMap,
    })
    const running = followed.run(stop.signal)
    onTestFinished(async () => {
      stop.abort()
      await running
    })
    await followed.whole(never)
    return followed
  }

  it('removes only exactly what was seen', async () => {
    const object = await created('exact')
    expect(await ours.writer.create(configMaps, named('exact'), never)).toEqual({ kind: 'exists' })
    const patched = await ours.writer.patch(configMaps, exactly(object), { data: { a: '1' } }, never)
    expect(patched).toMatchObject({ kind: 'changed', object: { metadata: { name: 'exact' } } })
    expect(patched).not.toHaveProperty('object.data')
    expect(await ours.reader.read(configMaps, exactly(object), never)).toMatchObject({ data: { a: '1' } })
    const now = patched.kind === 'changed' ? patched.object : object
    const another = { ...exactly(now), uid: '00000000-0000-0000-0000-000000000000' }
    expect(await ours.writer.patch(configMaps, exactly(object), { data: { a: '2' } }, never)).toMatchObject({
      kind: 'conflict',
    })
    expect(await ours.writer.patch(configMaps, another, { data: { a: '2' } }, never)).toEqual({
      kind: 'gone',
    })
    expect(await ours.writer.remove(configMaps, exactly(object), never)).toBe('conflict')
    expect(await ours.writer.remove(configMaps, another, never)).toBe('conflict')
    expect(await ours.writer.remove(configMaps, exactly(now), never)).toBe('removed')
    expect(await ours.writer.remove(configMaps, exactly(now), never)).toBe('gone')
    expect(await ours.reader.read(configMaps, exactly(now), never)).toBeUndefined()
  })

  it('applies what is ours, and takes a field of somebody else only by force', async () => {
    const applied = await ours.writer.apply(configMaps, named('applied', { a: 'ours' }), never)
    if (applied.kind !== 'changed') throw new Error('not applied')
    const path = '/api/v1/namespaces/default/configmaps/applied?fieldManager=somebody'
    const theirs = { data: { a: 'theirs' } }
    const { status } = await real.api.request('PATCH', path, theirs, 'application/merge-patch+json')
    expect(status).toBe(200)
    const again = await ours.writer.apply(configMaps, named('applied', { a: 'ours' }), never)
    expect(again).toMatchObject({ kind: 'conflict', reason: expect.stringContaining('.data.a') })
    const forced = await ours.writer.apply(configMaps, named('applied', { a: 'ours' }), never, {
      force: true,
    })
    if (forced.kind !== 'changed') throw new Error('not taken')
    expect(await ours.reader.read(configMaps, exactly(forced.object), never)).toMatchObject({
      data: { a: 'ours' },
    })
  })

  it('says what the API server said of a bad object and of a place that is not there', async () => {
    await expect(ours.writer.create(configMaps, named('Not_A_Name'), never)).rejects.toMatchObject({
      code: 'E_CLUSTER_REFUSED',
      params: { code: 422 },
    })
    const elsewhere = { metadata: { name: 'a', namespace: 'nowhere' } }
    await expect(ours.writer.create(configMaps, elsewhere, never)).rejects.toThrow(
      'namespaces "nowhere" not found',
    )
  })

  it('keeps its view through an outage: nothing is lost, its age grows, and it is proven again', async () => {
    const followed = await view()
    await created('before-outage')
    await expect.poll(() => followed.get('default/before-outage').value, soon).toBeDefined()
    await real.parts.kill('apiserver')
    await expect.poll(() => followed.freshness().problem, soon).not.toBeNull()
    expect(followed.get('default/before-outage').value).toBeDefined()
    await real.startAgain('apiserver')
    await expect.poll(() => followed.freshness().problem, soon).toBeNull()
    await created('after-outage')
    await expect.poll(() => followed.get('default/after-outage').value, soon).toBeDefined()
    await expect.poll(() => followed.freshness().ageMs, { ...soon, timeout: 150_000 }).toBeLessThan(2_000)
    // A server that was restarted does not remember what was before it.
    expect(followed.counts().lists).toBeLessThanOrEqual(2)
  })

  it('lets a leader that was stopped write nothing once another leads', async () => {
    const [first, second] = ['first', 'second'].map((identity) => leader(real.kubeconfig, identity))
    const one = first as Leader
    const two = second as Leader
    const tokenOf = ({ lines }: Leader) => lines.find((line) => line.startsWith('leads '))?.slice(6)
    await expect.poll(() => tokenOf(one) ?? tokenOf(two), soon).toBeDefined()
    const [leading, waiting] = tokenOf(one) === undefined ? [two, one] : [one, two]
    const followed = await view(`writer=${leading.identity}`)
    await expect.poll(() => followed.list().value.length, soon).toBeGreaterThan(10)
    leading.child.kill('SIGSTOP')
    await expect.poll(() => tokenOf(waiting), soon).toBeDefined()
    const before = followed.list().value.length
    leading.child.kill('SIGCONT')
    await expect.poll(() => leading.lines.some((line) => line.startsWith('refused ')), soon).toBe(true)
    await created('marker-after-pause')
    const everything = await view()
    expect(everything.get('default/marker-after-pause').value).toBeDefined()
    expect(
      everything.list().value.filter(({ metadata }) => metadata.labels?.writer === leading.identity),
    ).toHaveLength(before)
    expect(isOlderToken(tokenOf(leading) ?? '', tokenOf(waiting) ?? '')).toBe(true)
  })
})

interface Leader {
  readonly identity: string
  readonly child: ReturnType<typeof spawn>
  readonly lines: string[]
}

function leader(kubeconfig: string, identity: string): Leader {
  const program = fileURLToPath(new URL('testing/leader.ts', import.meta.url))
  const child = spawn(process.execPath, [program, kubeconfig, identity], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line))
  return { identity, child, lines }
}
