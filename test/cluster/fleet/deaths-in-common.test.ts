import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deathListSchema } from '../../../src/api/index.ts'
import { until } from '../machine/until.ts'
import { type Acts, actsIn } from './acts.ts'
import type { Life } from './holdfast.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const well = 10
/** One check each minute, after the records. */
const reportedWithinMs = 150_000
const on = (node: string) => ({ template: { spec: { nodeSelector: { 'kubernetes.io/hostname': node } } } })

describe('runners that die alike on a real cluster', () => {
  let world: World
  let acts: Acts
  let holdfast: Life
  beforeAll(async () => {
    world = await openWorld('in-common', { nodes: 2, own: 'it counts what lives on each node' })
    acts = actsIn(world)
    holdfast = await world.holdfast()
    await holdfast.serving
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  const deaths = async () =>
    deathListSchema.parse(await (await fetch(`${holdfast.url}/v1/deaths?since=1h`)).json())

  it('are reported as an incident of their node, though they are of several pools', async () => {
    await world.pool('well', { ...on('node-1'), minWarm: well, maxRunners: well })
    for (const pool of ['bad-a', 'bad-b']) await world.pool(pool, { ...on('node-2'), idleTimeoutSeconds: 2 })
    await acts.waiting('well', well)
    const doomed = []
    for (const pool of ['bad-a', 'bad-b', 'bad-a', 'bad-b', 'bad-a', 'bad-b']) {
      doomed.push((await acts.running('sleep 600', pool)).runner)
    }
    for (const { name } of doomed) await world.cluster.api.request('DELETE', world.at(`pods/${name}`))
    const { causes, deaths: ends } = await until('the incident is there', reportedWithinMs, async () => {
      const list = await deaths()
      return list.causes.length > 0 && list
    })
    expect(ends.map(({ runner }) => runner).toSorted()).toEqual(doomed.map(({ name }) => name).toSorted())
    expect(new Set(ends.map(({ node }) => node))).toEqual(new Set(['node-2']))
    expect(causes).toMatchObject([{ kind: 'deaths-on-node', closedAt: null, timesSeen: 1 }])
    expect(causes[0]?.reason).toMatch(/^6 of 6 `[a-z-]+` on node node-2 in /)
    await settled(world, { warm: well })
  })
})
