import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { pauseImage } from '../images/index.ts'
import { until } from '../machine/until.ts'
import { type Acts, actsIn } from './acts.ts'
import { type NodeActs, nodeActsIn, nodePath, nodes, soonMs, spread, warm } from './node-acts.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const clearedWithinMs = 200_000
/** A node that is silent is given up after five minutes, and its pods soon after. */
const givenUpWithinMs = 480_000
const pods = (node: string) => node.replace('node', 'pods')

describe('a node of a real cluster that goes bad', () => {
  let world: World
  let acts: Acts
  let onNodes: NodeActs
  beforeAll(async () => {
    world = await openWorld('bad-nodes', { nodes: nodes.length, own: 'its nodes are broken' })
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

  /** Cuts a node off: kills its kubelet and the network of its pods, which run on. */
  async function cutOff(node: string): Promise<void> {
    await world.cluster.parts.kill(`${node}-kubelet`)
    await onNodes.inNode(node, ['ip', 'link', 'set', pods(node), 'down'])
  }
  async function bringBack(node: string): Promise<void> {
    await onNodes.inNode(node, ['ip', 'link', 'set', pods(node), 'up'])
    await world.cluster.startAgain(`${node}-kubelet`)
    await onNodes.becomes(node, true)
  }

  async function lostOnRecord(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const record = await until(`the end of ${name} is on record`, givenUpWithinMs, async () => {
        return (await world.rows.runner(name))?.record
      })
      expect(record, JSON.stringify(record)).toMatchObject({ class: 'node-lost', outcome: 'incomplete' })
    }
  }

  it('on which starts fail while others succeed is avoided, and its pool says so', async () => {
    const pool = 'degraded'
    const bad = 'node-3'
    const images = ['ctr', '--namespace', 'k8s.io', 'images']
    await onNodes.inNode(bad, [...images, 'tag', pauseImage, 'holdfast.test/kept:1'])
    await onNodes.inNode(bad, [...images, 'rm', '--sync', pauseImage])
    try {
      // Evenly, so that whatever takes the place of a start that failed is tried there again.
      await world.pool(pool, {
        ...spread(pool),
        idleTimeoutSeconds: 2,
        minWarm: 4,
        maxRunners: 6,
        provisioning: { startDeadlineSeconds: 15 },
      })
      await onNodes.quarantined(pool, bad)
      expect(await world.rows.decisions()).toHaveProperty('degraded-node')
      const known = new Set((await acts.podsOf(pool)).map(({ metadata }) => metadata.name))
      const jobs = await Promise.all([1, 2, 3, 4, 5, 6].map(() => world.submit('sleep 1', pool)))
      await settled(world, { warm: 4 })
      for (const job of jobs) expect(await acts.endOf(job)).toBe('success')
      const fresh = (await acts.podsOf(pool)).filter(({ metadata }) => !known.has(metadata.name))
      expect(fresh.length).toBeGreaterThan(0)
      expect(fresh.map(({ spec }) => spec.nodeName)).not.toContain(bad)
    } finally {
      await onNodes.inNode(bad, [...images, 'tag', 'holdfast.test/kept:1', pauseImage])
    }
  }, 400_000)

  it('whose object goes takes its runners with it on record, and others serve', async () => {
    const pool = 'removed'
    const { runner, node, idle } = await onNodes.mixedNode('sleep 600', pool)
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
    const { runner, node, idle } = await onNodes.mixedNode('sleep 900', pool)
    await cutOff(node)
    await onNodes.becomes(node, false)
    await world.cluster.api.request('DELETE', world.at(`pods/${idle[0]}?gracePeriodSeconds=0`))
    const job = await world.submit('exit 0', pool)
    await until('another job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    await lostOnRecord([runner.name, ...idle])
    await settled(world, { warm })
    await bringBack(node)
  }, 900_000)
})
