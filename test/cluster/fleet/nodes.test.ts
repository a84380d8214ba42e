import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { pauseImage } from '../images/index.ts'
import { runInside } from '../machine/start-part.ts'
import { until } from '../machine/until.ts'
import { type Acts, actsIn } from './acts.ts'
import type { RunnerRow } from './ledger.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const soonMs = 90_000
const clearedWithinMs = 200_000
/** A node that is silent is given up after five minutes, and its pods soon after. */
const givenUpWithinMs = 480_000
const warm = 5
const nodes = ['node-1', 'node-2', 'node-3']
const nodePath = (name: string) => `/api/v1/nodes/${name}`
const podPath = (name: string) => `/api/v1/namespaces/default/pods/${name}`

/** The runners of a pool evenly on all nodes that take them. */
function spread(pool: string): object {
  const even = {
    ...{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
    labelSelector: { matchLabels: { 'holdfast.dev/pool': pool } },
  }
  return { template: { spec: { topologySpreadConstraints: [even] } } }
}

const hasRun = (record: { readonly class: string }) => record.class === 'clean'

interface ClusterEvent {
  readonly reason: string
  readonly involvedObject: { readonly kind: string; readonly name: string }
}

describe('a node of a real cluster', () => {
  let world: World
  let acts: Acts
  beforeAll(async () => {
    world = await openWorld('nodes', { nodes: nodes.length })
    acts = actsIn(world)
    await (await world.holdfast()).serving
  })
  afterEach(async () => {
    await acts.clear()
    await settled(world)
  }, clearedWithinMs)
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  const nodeOf = async ({ name }: Pick<RunnerRow, 'name'>) =>
    (await acts.pod(name))?.spec.nodeName as string | undefined

  const isReady = async (node: string) => {
    const { body } = await world.cluster.api.request('GET', nodePath(node))
    return body.status?.conditions?.some(
      ({ type, status }: { type: string; status: string }) => type === 'Ready' && status === 'True',
    ) as boolean | undefined
  }
  const becomes = (node: string, ready: boolean) =>
    until(`${node} is ${ready ? '' : 'not '}ready`, soonMs, async () => (await isReady(node)) === ready)

  /** Names of the runners on a node that wait for a job. */
  const idleOn = async (node: string, pool: string) => {
    const waiting = new Set((await acts.liveOf(pool, 'polling')).map(({ name }) => name))
    return (await acts.podsOf(pool))
      .filter(({ spec, metadata }) => spec.nodeName === node && waiting.has(metadata.name))
      .map(({ metadata }) => metadata.name as string)
  }

  /** A job that runs, on a node where another runner waits: two runners on each node. */
  async function mixedNode(script: string, pool: string) {
    await world.pool(pool, { ...spread(pool), idleTimeoutSeconds: 2, minWarm: warm, maxRunners: warm + 1 })
    await acts.waiting(pool, warm)
    const { job, runner } = await acts.running(script, pool)
    const node = (await nodeOf(runner)) as string
    await acts.waiting(pool, warm)
    const idle = await idleOn(node, pool)
    expect(idle.length).toBeGreaterThan(0)
    return { job, runner, node, idle }
  }

  /** Waits until a pool says that a node is avoided. */
  async function quarantined(pool: string, node: string): Promise<void> {
    const { type, message } = await until(`${node} is quarantined`, 2 * soonMs, async () => {
      const { body } = await world.cluster.api.request('GET', '/api/v1/namespaces/default/events')
      return body.items.find(
        ({ reason, involvedObject: { kind, name } }: ClusterEvent) =>
          reason === 'NodeQuarantined' && kind === 'RunnerPool' && name === pool,
      )
    })
    expect(type).toBe('Warning')
    expect(message).toContain(node)
  }

  async function inNode(node: string, command: readonly string[]): Promise<void> {
    const { place, parts } = world.cluster
    await runInside(place, await parts.state(), node, command)
  }
  const pods = (node: string) => node.replace('node', 'pods')

  /** Ends all that is heard of a node: its kubelet, and whatever its pods say. They run on. */
  async function cutOff(node: string): Promise<void> {
    await world.cluster.parts.kill(`${node}-kubelet`)
    await inNode(node, ['ip', 'link', 'set', pods(node), 'down'])
  }
  async function bringBack(node: string): Promise<void> {
    await inNode(node, ['ip', 'link', 'set', pods(node), 'up'])
    await world.cluster.startAgain(`${node}-kubelet`)
    await becomes(node, true)
  }

  async function lostOnRecord(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const record = await until(`the end of ${name} is on record`, givenUpWithinMs, async () => {
        return (await world.rows.runner(name))?.record
      })
      expect(record, JSON.stringify(record)).toMatchObject({ class: 'node-lost', outcome: 'incomplete' })
    }
  }

  it('that is drained keeps its busy runner to the end of its job, and its idle ones go elsewhere', async () => {
    const pool = 'drained'
    const { job, runner, node, idle } = await mixedNode('sleep 45', pool)
    await acts.patch(nodePath(node), { spec: { unschedulable: true } })
    const [evicted = ''] = idle
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: evicted } }
    await world.cluster.api.request('POST', `${podPath(evicted)}/eviction`, eviction)
    await until(`idle runners have left ${node}`, soonMs, async () => {
      const there = (await acts.podsOf(pool)).filter(({ spec }) => spec.nodeName === node)
      return there.every(({ metadata }) => metadata.name === runner.name)
    })
    await acts.waiting(pool, warm)
    expect(await idleOn(node, pool)).toEqual([])
    await until('the job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    await settled(world, { warm })
    expect((await world.rows.runner(runner.name))?.record).toMatchObject({ class: 'clean' })
    await acts.patch(nodePath(node), { spec: { unschedulable: null } })
    // Each job makes way for a runner; that the node is open is known some seconds later.
    await until(`${node} is used again`, 2 * soonMs, async () => {
      const next = await world.submit('exit 0', pool)
      await until('one more job is done', soonMs, async () => (await acts.endOf(next)) === 'success')
      return (await acts.podsOf(pool)).some(({ spec }) => spec.nodeName === node)
    })
    await settled(world, { warm })
  }, 300_000)

  it('whose kubelet ends amid a job lets it finish, and the end is sealed when the kubelet is back', async () => {
    const pool = 'paused'
    await world.pool(pool, { idleTimeoutSeconds: 2 })
    const { job, runner } = await acts.running('sleep 10', pool)
    const node = await nodeOf(runner)
    await world.cluster.parts.kill(`${node}-kubelet`)
    await until('the ledger has the end of the job', soonMs, async () =>
      (await world.rows.jobs()).some(({ forgeJobId, ended }) => forgeJobId === job && ended),
    )
    expect(await acts.endOf(job)).toBe('success')
    expect((await world.rows.runner(runner.name))?.ended).toBe(false)
    await world.cluster.startAgain(`${node}-kubelet`)
    await settled(world)
    expect((await world.rows.runner(runner.name))?.record).toMatchObject({ class: 'clean' })
    await becomes(node as string, true)
  })

  it('without its kubelet, where somebody force-deletes the busy pod, lets the job finish too', async () => {
    const pool = 'forced'
    await world.pool(pool, { idleTimeoutSeconds: 2 })
    const { job, runner } = await acts.running('sleep 15', pool)
    const node = await nodeOf(runner)
    await world.cluster.parts.kill(`${node}-kubelet`)
    await world.cluster.api.request('DELETE', `${podPath(runner.name)}?gracePeriodSeconds=0`)
    await until('the job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    await world.cluster.startAgain(`${node}-kubelet`)
    await settled(world)
    expect((await world.rows.runner(runner.name))?.record.ending.pod).toMatchObject({
      ...{ place: { pod: runner.name, node }, deletedAt: expect.any(Number) },
    })
    await becomes(node as string, true)
  })

  it('that starts nothing, since its runtime hangs, costs time and no job, and is avoided', async () => {
    const pool = 'hung'
    const hung = 'node-1'
    await world.pool(pool, {
      ...{
        ...spread(pool),
        idleTimeoutSeconds: 2,
        maxRunners: 9,
        provisioning: { startDeadlineSeconds: 20 },
      },
    })
    await world.cluster.parts.signal(`${hung}-containerd`, 'SIGSTOP')
    try {
      const jobs = await Promise.all(Array.from({ length: 9 }, () => world.submit('sleep 20', pool)))
      await until('all jobs are done elsewhere', 2 * soonMs, async () => {
        const ends = await Promise.all(jobs.map((job) => acts.endOf(job)))
        return ends.every((end) => end === 'success')
      })
      await quarantined(pool, hung)
    } finally {
      await world.cluster.parts.signal(`${hung}-containerd`, 'SIGCONT')
    }
    await settled(world, {}, 2 * soonMs)
    const stuck = (await world.rows.runners()).filter(
      ({ pool: of, record }) => of === pool && !hasRun(record),
    )
    expect(stuck.length).toBeGreaterThan(0)
    for (const { record } of stuck) expect(record.ending.pod.place.node).toBe(hung)
  }, 500_000)

  it('on which starts fail while others succeed is avoided, and its pool says so', async () => {
    const pool = 'degraded'
    const bad = 'node-3'
    const images = ['ctr', '--namespace', 'k8s.io', 'images']
    await inNode(bad, [...images, 'tag', pauseImage, 'holdfast.test/kept:1'])
    await inNode(bad, [...images, 'rm', '--sync', pauseImage])
    try {
      // Evenly, so that whatever takes the place of a start that failed is tried there again.
      await world.pool(pool, {
        ...{ ...spread(pool), idleTimeoutSeconds: 2, minWarm: 4, maxRunners: 6 },
        provisioning: { startDeadlineSeconds: 15 },
      })
      await quarantined(pool, bad)
      expect(await world.rows.decisions()).toHaveProperty('degraded-node')
      const known = new Set((await acts.podsOf(pool)).map(({ metadata }) => metadata.name))
      const jobs = await Promise.all([1, 2, 3, 4, 5, 6].map(() => world.submit('sleep 1', pool)))
      await settled(world, { warm: 4 })
      for (const job of jobs) expect(await acts.endOf(job)).toBe('success')
      const fresh = (await acts.podsOf(pool)).filter(({ metadata }) => !known.has(metadata.name))
      expect(fresh.length).toBeGreaterThan(0)
      expect(fresh.map(({ spec }) => spec.nodeName)).not.toContain(bad)
    } finally {
      await inNode(bad, [...images, 'tag', 'holdfast.test/kept:1', pauseImage])
    }
  }, 400_000)

  it('whose object goes takes its runners with it on record, and others serve', async () => {
    const pool = 'removed'
    const { runner, node, idle } = await mixedNode('sleep 600', pool)
    await cutOff(node)
    await world.cluster.api.request('DELETE', nodePath(node))
    const job = await world.submit('exit 0', pool)
    await until('another job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    await lostOnRecord([runner.name, ...idle])
    await settled(world, { warm })
    await bringBack(node)
  }, 900_000)

  it('that falls silent for good is given up, its runners are on record, and others serve meanwhile', async () => {
    const pool = 'silent'
    const { runner, node, idle } = await mixedNode('sleep 900', pool)
    await cutOff(node)
    await becomes(node, false)
    await world.cluster.api.request('DELETE', `${podPath(`${idle[0]}`)}?gracePeriodSeconds=0`)
    const job = await world.submit('exit 0', pool)
    await until('another job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    await lostOnRecord([runner.name, ...idle])
    await settled(world, { warm })
    await bringBack(node)
  }, 900_000)
})
