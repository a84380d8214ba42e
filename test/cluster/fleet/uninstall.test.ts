import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import { type Acts, actsIn } from './acts.ts'
import type { Life } from './holdfast.ts'
import { soonMs } from './node-acts.ts'
import { uninstallerOf } from './uninstaller.ts'
import { openWorld, type World } from './world.ts'

const pools = '/apis/holdfast.dev/v1alpha1/namespaces/uninstall/runnerpools'
const manyPools = 75

describe('everything of ours in a namespace', () => {
  let world: World
  let acts: Acts
  let life: Life
  beforeAll(async () => {
    world = await openWorld('uninstall')
    acts = actsIn(world)
    life = await world.holdfast()
    await life.serving
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  const uninstall = (...given: string[]) => uninstallerOf(world)(...given)

  it('is only named at first, and not removed while a leader lives', async () => {
    await world.pool('linux', { minWarm: 2 })
    await acts.waiting('linux', 2)
    const { code, report } = await uninstall()
    expect(code).toBe(0)
    expect(report).toMatchObject({ isDone: false, unseen: [] })
    expect(report.steps.map(({ what }: { what: string }) => what)).toContain('RunnerPool linux')
    const refused = await uninstall('--yes')
    expect(refused.code).toBe(5)
    expect(await acts.podsOf('linux')).toHaveLength(2)
  })

  it('works without a leader and keeps the pod with a job; that one goes with --even-busy, with its record', async () => {
    const { runner } = await acts.running('sleep 600', 'linux')
    for (let n = 0; n < manyPools; n += 1) await world.pool(`many-${n}`)
    await until('the pools are held', soonMs, async () => {
      const { items } = (await world.cluster.api.request('GET', pools)).body
      return items.every(
        ({ metadata }: { metadata: { finalizers?: string[] } }) => metadata.finalizers?.length,
      )
    })
    const stranger = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'stranger', finalizers: ['example.org/own'] },
    }
    await world.cluster.api.request('POST', '/api/v1/namespaces/uninstall/configmaps', stranger)
    life.signal('SIGKILL')
    await life.exited
    const first = await uninstall('--yes')
    expect(first.code).toBe(8)
    const left = first.report.steps.filter(({ outcome }: { outcome: string }) => outcome === 'left')
    expect(left.map(({ what }: { what: string }) => what)).toContain(`Pod ${runner.name}`)
    expect((await world.rows.runner(runner.name))?.ended).toBe(false)
    expect(await acts.pod(runner.name)).toBeDefined()
    const second = await uninstall('--yes', '--even-busy')
    expect(second).toMatchObject({ code: 0 })
    expect(await acts.pod(runner.name)).toBeUndefined()
    expect((await world.cluster.api.request('GET', pools)).body.items).toEqual([])
    expect((await world.rows.runner(runner.name))?.record).not.toBeNull()
    expect((await world.rows.runners()).filter(({ ended }) => !ended)).toEqual([])
    expect(
      (await world.cluster.api.request('GET', '/api/v1/namespaces/uninstall/configmaps/stranger')).status,
    ).toBe(200)
  }, 400_000)
})
