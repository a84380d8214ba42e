import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { simRunnerImage } from '../images/index.ts'
import { until } from '../machine/until.ts'
import { type Acts, actsIn } from './acts.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

const soonMs = 90_000
const clearedWithinMs = 200_000
const rollsWithinMs = 150_000
const podPath = (name: string) => `/api/v1/namespaces/roll/pods${name && `/${name}`}`
const templateLabel = 'holdfast.dev/template'
const keepOff = {
  'karpenter.sh/do-not-disrupt': 'true',
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
}

/** A job's own environment is clean; that of its container shows the template. */
const printGeneration = "tr '\\0' '\\n' < /proc/1/environ | grep GENERATION"

/** A spec that makes a pool's runners another generation, in a way that a job can see. */
function generation(value: string): object {
  const env = [{ name: 'GENERATION', value }]
  return { template: { spec: { containers: [{ name: 'runner', env }] } } }
}

describe('a pool that people change', () => {
  let world: World
  let acts: Acts
  beforeAll(async () => {
    world = await openWorld('roll')
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

  const templatesOf = async (pool: string) =>
    new Set((await acts.podsOf(pool)).map(({ metadata }) => metadata.labels[templateLabel] as string))

  /** Waits until so many runners wait for a job, and all there are were made from something else than these. */
  const rolled = (pool: string, from: ReadonlySet<string>, warm: number) =>
    until(`every runner of ${pool} is new`, rollsWithinMs, async () => {
      const waiting = await acts.liveOf(pool, 'polling')
      const made = await templatesOf(pool)
      return waiting.length === warm && made.size === 1 && [...made].every((one) => !from.has(one))
    })

  it('rolls its idle runners, while those with a job finish it, and rolls again before it is done', async () => {
    const spec = { idleTimeoutSeconds: 2, minWarm: 2, maxRunners: 6, rollout: { maxConcurrentPercent: 50 } }
    await world.pool('rolled', { ...spec, ...generation('one') })
    await acts.waiting('rolled', 2)
    const first = await templatesOf('rolled')
    const old = [
      await acts.running(`sleep 20; ${printGeneration}`, 'rolled'),
      await acts.running(`sleep 20; ${printGeneration}`, 'rolled'),
    ]
    await acts.waiting('rolled', 2)
    await world.pool('rolled', { ...spec, ...generation('two') })
    const second = await until('the first roll has begun', soonMs, async () => {
      const made = await templatesOf('rolled')
      return made.size > 1 && made
    })
    const between = await acts.running(`sleep 10; ${printGeneration}`, 'rolled')
    await world.pool('rolled', { ...spec, ...generation('three') })
    await rolled('rolled', second, 2)
    for (const { job, runner } of old) {
      expect(await acts.endOf(job)).toBe('success')
      expect(await world.log(job)).toContain('GENERATION=one')
      expect((await world.rows.runner(runner.name))?.record).toMatchObject({ class: 'clean' })
    }
    expect(await acts.endOf(between.job)).toBe('success')
    const last = await acts.running(printGeneration, 'rolled')
    await settled(world, { warm: 2 })
    expect(await world.log(last.job)).toContain('GENERATION=three')
    expect([...(await templatesOf('rolled'))].some((one) => first.has(one))).toBe(false)
    const ends = (await world.rows.runners()).filter(({ ended }) => ended)
    const stopped = ends.filter(({ record }) => record.ending?.stopRequestedBy !== null)
    for (const { record } of stopped) expect(record.ending.stopRequestedBy).toMatch(/template|more runners/)
  })

  it('keeps the old runners where new ones do not get ready, and serves jobs by them', async () => {
    const spec = { idleTimeoutSeconds: 2, minWarm: 2, maxRunners: 4, rollout: { maxConcurrentPercent: 50 } }
    const hurried = { provisioning: { startDeadlineSeconds: 20 } }
    await world.pool('broken', { ...spec, ...hurried })
    await acts.waiting('broken', 2)
    const good = await templatesOf('broken')
    await world.pool('broken', { ...spec, ...hurried, image: 'holdfast.test/nothing:1' })
    let fewest = 2
    await until('the pool says that its image cannot be had', soonMs, async () => {
      fewest = Math.min(fewest, (await acts.liveOf('broken', 'polling')).length)
      const { status } = await world.readPool('broken')
      return status?.conditions?.some(
        ({ type, reason }: { type: string; reason: string }) => type === 'Degraded' && reason === 'ImagePull',
      )
    })
    expect(fewest).toBe(1)
    const job = await world.submit('exit 0', 'broken')
    await until('the job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    await world.pool('broken', { ...spec, ...hurried })
    await settled(world, { warm: 2 })
    // A pool also counts as settled with one good runner and one that still fails to start.
    await expect.poll(() => templatesOf('broken'), { timeout: soonMs }).toEqual(good)
  })

  it('goes to nothing and comes back from it', async () => {
    await world.pool('zero', { idleTimeoutSeconds: 1, minWarm: 2 })
    await settled(world, { warm: 2 })
    await world.pool('zero', { idleTimeoutSeconds: 1, minWarm: 0 })
    await settled(world)
    const job = await world.submit('exit 0', 'zero')
    await settled(world)
    expect(await acts.endOf(job)).toBe('success')
  })

  it('keeps runners ready while a window is open, and none for one that is closed', async () => {
    const farHour = (new Date().getUTCHours() + 12) % 24
    const closed = { cron: `0 ${farHour} * * *`, durationMinutes: 1, minWarm: 3 }
    const always = { cron: '* * * * *', durationMinutes: 2, minWarm: 1 }
    await world.pool('windows', { idleTimeoutSeconds: 1, warmWindows: [closed, always] })
    await settled(world, { warm: 1 })
    await world.pool('windows', { idleTimeoutSeconds: 1, warmWindows: [closed] })
    await settled(world)
    // Half a minute from now at least, so that it is seen to be closed before.
    const opens = new Date(Date.now() + 90_000)
    const soon = {
      cron: `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * *`,
      durationMinutes: 1,
      minWarm: 2,
    }
    await world.pool('windows', { idleTimeoutSeconds: 1, warmWindows: [closed, soon] })
    const opensAt = Math.floor(opens.getTime() / 60_000) * 60_000
    await settled(world)
    expect(Date.now()).toBeLessThan(opensAt)
    await acts.waiting('windows', 2)
    expect(Date.now()).toBeGreaterThanOrEqual(opensAt)
    await settled(world)
    expect(Date.now()).toBeGreaterThanOrEqual(opensAt + 60_000)
  }, 300_000)

  it('that is deleted amid a job lets it finish, goes after it, and can be declared again', async () => {
    const spec = { idleTimeoutSeconds: 1, minWarm: 1 }
    await world.pool('again', spec)
    await acts.waiting('again', 1)
    const { job, runner } = await acts.running('sleep 20', 'again')
    await acts.waiting('again', 1)
    await world.removePool('again')
    await acts.waiting('again', 0)
    expect(await acts.endOf(job)).toBeNull()
    expect((await world.readPool('again')).metadata.deletionTimestamp).toBeDefined()
    await until('the pool is gone', soonMs, async () => (await world.readPool('again')).kind === 'Status')
    expect(await acts.endOf(job)).toBe('success')
    expect((await world.rows.runner(runner.name))?.record).toMatchObject({ class: 'clean' })
    await world.pool('again', spec)
    const next = await world.submit('exit 0', 'again')
    await settled(world, { warm: 1 })
    expect(await acts.endOf(next)).toBe('success')
  })

  it('marks its busy runners, and not its idle ones, so that autoscalers leave them alone', async () => {
    await world.pool('marked', { idleTimeoutSeconds: 1, minWarm: 1 })
    await acts.waiting('marked', 1)
    const { runner } = await acts.running('sleep 10', 'marked')
    const [idle] = await acts.waiting('marked', 1)
    await until('the busy one is marked', soonMs, async () => {
      const { annotations = {} } = (await acts.pod(runner.name)).metadata
      return Object.entries(keepOff).every(([name, value]) => annotations[name] === value)
    })
    const { annotations } = (await acts.pod(`${idle?.name}`)).metadata
    for (const name of Object.keys(keepOff)) expect(annotations).not.toHaveProperty([name])
  })

  it('loses nothing where somebody takes the labels off its pods', async () => {
    await world.pool('bare', { idleTimeoutSeconds: 1, minWarm: 1 })
    await acts.waiting('bare', 1)
    const { job, runner } = await acts.running('sleep 10', 'bare')
    const [idle] = await acts.waiting('bare', 1)
    for (const name of [runner.name, `${idle?.name}`]) {
      const { labels } = (await acts.pod(name)).metadata
      const none = Object.fromEntries(Object.keys(labels).map((label) => [label, null]))
      await acts.patch(podPath(name), { metadata: { labels: none } })
    }
    await until('the job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    await world.pool('bare', { idleTimeoutSeconds: 1, minWarm: 0 })
    await settled(world)
  })

  it('loses nothing where somebody takes the finalizer off its pods', async () => {
    await world.pool('loose', { idleTimeoutSeconds: 1, minWarm: 1 })
    const [idle] = await acts.waiting('loose', 1)
    await acts.patch(podPath(`${idle?.name}`), { metadata: { finalizers: null } })
    const { job } = await acts.running('sleep 2', 'loose')
    await until('the job is done', soonMs, async () => (await acts.endOf(job)) === 'success')
    const [next] = await acts.waiting('loose', 1)
    await acts.patch(podPath(`${next?.name}`), { metadata: { finalizers: null } })
    await world.pool('loose', { idleTimeoutSeconds: 1, minWarm: 0 })
    await settled(world)
  })

  it('leaves alone what a person made under its labels', async () => {
    await world.pool('mine', { idleTimeoutSeconds: 1, minWarm: 1 })
    const [idle] = await acts.waiting('mine', 1)
    const { metadata } = await acts.pod(`${idle?.name}`)
    const labelled = (name: string) => ({ name, labels: { ...metadata.labels, 'holdfast.dev/runner': name } })
    const copy = { name: 'stranger-copy', labels: metadata.labels, annotations: metadata.annotations }
    const strangers = [
      { made: labelled('stranger-alive'), command: ['/bin/sleep', '600'], phase: 'Running' },
      { made: labelled('stranger-done'), command: ['/bin/true'], phase: 'Succeeded' },
      { made: copy, command: ['/bin/sleep', '600'], phase: 'Running' },
    ].map((stranger) => ({ ...stranger, name: stranger.made.name }))
    for (const { made, name, command, phase } of strangers) {
      const containers = [{ name: 'runner', image: simRunnerImage, command }]
      const answer = await world.cluster.api.request('POST', podPath(''), {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: made,
        spec: { containers, restartPolicy: 'Never', terminationGracePeriodSeconds: 0 },
      })
      expect(answer.status).toBe(201)
      await until(`${name} is ${phase}`, soonMs, async () => (await acts.pod(name))?.status.phase === phase)
    }
    const job = await world.submit('exit 0', 'mine')
    await settled(world, { warm: 1, others: strangers.map(({ name }) => name) })
    expect(await acts.endOf(job)).toBe('success')
    await acts.remove('mine')
    await settled(world, { others: strangers.map(({ name }) => name) })
    for (const { name, phase } of strangers) {
      const pod = await acts.pod(name)
      expect(pod?.metadata.deletionTimestamp).toBeUndefined()
      expect(pod?.status.phase).toBe(phase)
      expect(await world.rows.runner(name)).toBeUndefined()
      await world.cluster.api.request('DELETE', podPath(name))
    }
  })
})
