import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../machine/until.ts'
import { type Acts, actsIn } from './acts.ts'
import type { Life } from './holdfast.ts'
import { soonMs } from './node-acts.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const pool = 'marked'
const otherLabel = { labels: { 'holdfast.dev/runner': 'somebody-else' } }
const otherHost = { annotations: { 'holdfast.dev/host': 'elsewhere' } }
const noLabels = {
  labels: {
    'holdfast.dev/runner': null,
    'holdfast.dev/pool': null,
    'app.kubernetes.io/managed-by': null,
  },
}

describe('marks of a busy pod that somebody changes', () => {
  let world: World
  let acts: Acts
  let life: Life
  beforeAll(async () => {
    world = await openWorld('marks')
    acts = actsIn(world)
    life = await world.holdfast()
    await life.serving
    await world.pool(pool, { idleTimeoutSeconds: 2 })
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
  })

  const hasMarks = async (name: string) => {
    const { labels, annotations } = (await acts.pod(name))?.metadata ?? {}
    const isLabelled = labels?.['holdfast.dev/runner'] === name && labels['holdfast.dev/pool'] === pool
    return isLabelled && /^kubernetes:/.test(annotations?.['holdfast.dev/host'] ?? '')
  }
  async function finishes(job: number, runner: string): Promise<void> {
    await until('the job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    await settled(world)
    expect((await world.rows.runner(runner))?.record).toMatchObject({ class: 'clean', confidence: 'proven' })
    expect(await world.rows.deaths(runner)).toBe(1)
    expect(await acts.pod(runner)).toBeUndefined()
  }

  it.each([
    ['the label of its runner', otherLabel],
    ['the annotation of its host', otherHost],
    ['all of its labels', noLabels],
  ])('%s come back, the job ends well, and the pod goes', async (_, metadata) => {
    const { job, runner } = await acts.running('sleep 12', pool)
    await acts.patch(world.at(`pods/${runner.name}`), { metadata })
    await until('the marks are back', soonMs, () => hasMarks(runner.name))
    expect((await world.rows.runner(runner.name))?.ended).toBe(false)
    await finishes(job, runner.name)
  })

  it.each([
    ['the label of its runner', otherLabel],
    ['all of its labels', noLabels],
  ])(
    '%s while no Holdfast runs come back once one does: it knows the UID',
    async (_, metadata) => {
      const { job, runner } = await acts.running('sleep 40', pool)
      life.signal('SIGKILL')
      await life.exited
      await acts.patch(world.at(`pods/${runner.name}`), { metadata })
      life = await world.holdfast()
      await life.serving
      await until('the marks are back', soonMs, () => hasMarks(runner.name))
      expect((await world.rows.runner(runner.name))?.ended).toBe(false)
      await finishes(job, runner.name)
    },
    240_000,
  )
})
