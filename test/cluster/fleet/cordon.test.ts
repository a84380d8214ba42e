import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import { type Acts, actsIn } from './acts.ts'
import { nodePath, soonMs } from './node-acts.ts'
import { openWorld, type World } from './world.ts'

const pool = 'cordoned'

describe('a cordon of the last node', () => {
  let world: World
  let acts: Acts
  beforeAll(async () => {
    world = await openWorld('cordon', { own: 'its only node is cordoned' })
    acts = actsIn(world)
    await (await world.holdfast()).serving
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  it('is written into no pod: a runner that is made around its end runs at once', async () => {
    const [node] = (await world.cluster.api.request('GET', '/api/v1/nodes')).body.items
    await world.pool(pool, { minWarm: 1 })
    const [first] = await acts.waiting(pool, 1)
    await acts.patch(nodePath(node.metadata.name), { spec: { unschedulable: true } })
    await until(
      'the idle runner has left',
      soonMs,
      async () => (await world.rows.runner(first?.name ?? ''))?.ended,
    )
    await acts.patch(nodePath(node.metadata.name), { spec: { unschedulable: null } })
    await acts.waiting(pool, 1)
    for (const { spec } of await acts.podsOf(pool)) expect(spec.affinity?.nodeAffinity).toBeUndefined()
  })
})
