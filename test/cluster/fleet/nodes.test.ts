import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import { type Acts, actsIn } from './acts.ts'
import { type NodeActs, nodeActsIn, nodePath, nodes, soonMs, spread, warm } from './node-acts.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const clearedWithinMs = 200_000
const hasRun = (record: { readonly class: string }) => record.class === 'clean'

describe('a node of a real cluster', () => {
  let world: World
  let acts: Acts
  let onNodes: NodeActs
  beforeAll(async () => {
    world = await openWorld('nodes', { nodes: nodes.length, own: 'its nodes are lost' })
    acts = actsIn(world)
    onNodes = nodeActsIn(world, acts)
    await (await world.holdfast()).serving
  })
  afterEach(async () => {
    await acts.clear()
    await settled(world)
  }, clearedWithinMs)
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  it('that is drained keeps its busy runner to the end of its job, and its idle ones go elsewhere', async () => {
    const pool = 'drained'
    const { job, runner, node, idle } = await onNodes.mixedNode('sleep 45', pool)
    await acts.patch(nodePath(node), { spec: { unschedulable: true } })
    const [evicted = ''] = idle
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: evicted } }
    await world.cluster.api.request('POST', world.at(`pods/${evicted}/eviction`), eviction)
    await until(`idle runners have left ${node}`, soonMs, async () => {
      const there = (await acts.podsOf(pool)).filter(({ spec }) => spec.nodeName === node)
      return there.every(({ metadata }) => metadata.name === runner.name)
    })
    await acts.waiting(pool, warm)
    expect(await onNodes.idleOn(node, pool)).toEqual([])
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
    const node = await onNodes.nodeOf(runner)
    await world.cluster.parts.kill(`${node}-kubelet`)
    await until('the ledger has the end of the job', soonMs, async () =>
      (await world.rows.jobs()).some(({ forgeJobId, ended }) => forgeJobId === job && ended),
    )
    expect(await acts.endOf(job)).toBe('success')
    expect((await world.rows.runner(runner.name))?.ended).toBe(false)
    await world.cluster.startAgain(`${node}-kubelet`)
    await settled(world)
    expect((await world.rows.runner(runner.name))?.record).toMatchObject({ class: 'clean' })
    await onNodes.becomes(node as string, true)
  })

  it('without its kubelet, where somebody force-deletes the busy pod, lets the job finish too', async () => {
    const pool = 'forced'
    await world.pool(pool, { idleTimeoutSeconds: 2 })
    const { job, runner } = await acts.running('sleep 15', pool)
    const node = await onNodes.nodeOf(runner)
    await world.cluster.parts.kill(`${node}-kubelet`)
    await world.cluster.api.request('DELETE', world.at(`pods/${runner.name}?gracePeriodSeconds=0`))
    await until('the job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    await world.cluster.startAgain(`${node}-kubelet`)
    await settled(world)
    expect((await world.rows.runner(runner.name))?.record.ending.pod).toMatchObject({
      place: { pod: runner.name, node },
      deletedAt: expect.any(Number),
    })
    await onNodes.becomes(node as string, true)
  })

  it('that starts nothing, since its runtime hangs, costs time and no job, and is avoided', async () => {
    const pool = 'hung'
    const hung = 'node-1'
    await world.pool(pool, {
      ...spread(pool),
      idleTimeoutSeconds: 2,
      maxRunners: 9,
      provisioning: { startDeadlineSeconds: 20 },
    })
    await world.cluster.parts.signal(`${hung}-containerd`, 'SIGSTOP')
    try {
      const jobs = await Promise.all(Array.from({ length: 9 }, () => world.submit('sleep 20', pool)))
      await until('all jobs are done elsewhere', 2 * soonMs, async () => {
        const ends = await Promise.all(jobs.map((job) => acts.endOf(job)))
        return ends.every((end) => end === 'success')
      })
      await onNodes.quarantined(pool, hung)
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
})
