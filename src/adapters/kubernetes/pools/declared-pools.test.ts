import { describe, expect, it } from 'vitest'
import { parseRunnerPool } from '../../../api/pool/index.ts'
import type { PoolStatus } from '../../../ports/declared-pools.ts'
import { bench, untilTestEnds } from '../client/testing/bench.ts'
import { createDeclaredPools, poolFinalizer } from './index.ts'

const poolsPath = '/apis/holdfast.dev/v1alpha1/namespaces/ci/runnerpools'
const never = new AbortController().signal
const spec = { labels: ['linux'], image: 'runner:1' }

function statusOf(over: Partial<PoolStatus> & { isReady?: boolean } = {}): PoolStatus {
  const { isReady = true, ...rest } = over
  const reason = isReady ? 'AllIsWell' : 'ImagePull'
  return {
    observedGeneration: 1,
    queued: 0,
    idle: 1,
    busy: 2,
    starting: 0,
    leaving: 0,
    desired: 3,
    conditions: [{ type: 'Ready', isTrue: isReady, reason, message: `because of ${reason}` }],
    ...rest,
  }
}

async function followedPools(isClosing = () => false) {
  const made = await bench()
  const { api, cluster, clock, log } = made
  const put = (name: string, fields: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) =>
    api.truth.put(poolsPath, name, {
      metadata: { namespace: 'ci', generation: 1, ...metadata },
      spec,
      ...fields,
    })
  const pools = createDeclaredPools({
    cluster,
    namespace: 'ci',
    writer: () => cluster.writer,
    parse: parseRunnerPool,
    clock,
    log,
    isClosing,
  })
  const start = async () => {
    untilTestEnds((signal) => pools.run(signal))
    await pools.whole(never)
    await expect.poll(() => api.watches.size).toBe(1)
  }
  const one = async (name = 'linux') => {
    const found = (await pools.list()).find((pool) => pool.name === name)
    if (found === undefined) throw new Error(`there is no pool ${name}`)
    return found
  }
  const standing = (name = 'linux') => api.truth.get(poolsPath, name)
  /** When the view has caught up with what stands there. */
  const shown = async (name = 'linux') => {
    const version = standing(name)?.metadata.resourceVersion
    api.truth.put(poolsPath, 'marker', { metadata: { namespace: 'ci' }, spec: { version } })
    await expect
      .poll(async () => JSON.stringify((await pools.list()).map((pool) => pool.name)))
      .toContain('marker')
    api.truth.remove(poolsPath, 'marker')
    await expect.poll(async () => (await pools.list()).some((pool) => pool.name === 'marker')).toBe(false)
  }
  const writes = () =>
    api.requests
      .filter(({ method, path }) => method !== 'GET' && path.startsWith(poolsPath))
      .map(({ method, path }) => `${method} ${path.slice(poolsPath.length + 1)}`)
  return { ...made, put, pools, start, one, standing, shown, writes }
}

describe('declared pools', () => {
  it('are listed as the cluster has them, with the problems of those that cannot be used', async () => {
    const { put, pools, start } = await followedPools()
    put('linux')
    put('crooked', { spec: { ...spec, minWarm: 9 } })
    put('strange', { spec: { ...spec, template: { spec: { hostPID: true } } } })
    put('going', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })
    await start()
    const all = Object.fromEntries((await pools.list()).map((pool) => [pool.name, pool]))
    expect(all.linux).toMatchObject({
      generation: 1,
      isLeaving: false,
      declared: { kind: 'pool', pool: { name: 'linux', maxRunners: 4 }, pod: { image: 'runner:1' } },
    })
    expect(all.crooked?.declared).toEqual({
      kind: 'wrong',
      problems: ['spec.minWarm: got 9, expected at most maxRunners'],
    })
    expect(all.strange?.declared).toMatchObject({
      kind: 'wrong',
      problems: [expect.stringContaining('spec.template.spec.hostPID')],
    })
    expect(all.going?.isLeaving).toBe(true)
    expect(pools.plan('linux')?.image).toBe('runner:1')
    expect(pools.plan('crooked')).toBeUndefined()
  })

  it('are not an empty list before the cluster was read', async () => {
    const { pools } = await followedPools()
    await expect(pools.list()).rejects.toMatchObject({ code: 'E_CLUSTER_VIEW_OLD' })
  })

  it('report a change by a person, and not our own writes', async () => {
    const { put, pools, start, one, shown } = await followedPools()
    put('linux', {}, { finalizers: [poolFinalizer] })
    await start()
    const { uid } = await one()
    let reports = 0
    pools.onChange(() => {
      reports += 1
    })
    await pools.report(await one(), statusOf(), never)
    await shown()
    expect(reports).toBe(2) // the marker came and went
    put('linux', { spec: { ...spec, maxRunners: 9 } }, { generation: 2, finalizers: [poolFinalizer] })
    await expect.poll(() => reports).toBe(3)
    const changed = await one()
    expect(changed).toMatchObject({ uid, declared: { pool: { maxRunners: 9 } } })
  })
})

describe('pools of a namespace that terminates', () => {
  it('are all leaving, and are released before anybody has deleted them, for good', async () => {
    let isClosing = false
    const { put, pools, start, one, standing, shown } = await followedPools(() => isClosing)
    put('linux', {}, { finalizers: ['other', poolFinalizer] })
    await start()
    await pools.release(await one(), never)
    expect(standing()?.metadata.finalizers).toEqual(['other', poolFinalizer])
    isClosing = true
    expect((await one()).isLeaving).toBe(true)
    await pools.release(await one(), never)
    await shown()
    await pools.report(await one(), statusOf(), never)
    expect(standing()?.metadata.finalizers).toEqual(['other'])
  })
})

describe('the status of a pool', () => {
  it('is written once, and again only where it differs', async () => {
    const { put, pools, start, one, standing, shown, writes } = await followedPools()
    put('linux', {}, { finalizers: [poolFinalizer] })
    await start()
    await pools.report(await one(), statusOf(), never)
    await pools.report(await one(), statusOf(), never)
    await shown()
    await pools.report(await one(), statusOf(), never)
    expect(writes()).toEqual(['PATCH linux/status'])
    await pools.report(await one(), statusOf({ busy: 3 }), never)
    expect(writes()).toEqual(['PATCH linux/status', 'PATCH linux/status'])
    expect(standing()).toMatchObject({
      status: {
        observedGeneration: 1,
        busy: 3,
        conditions: [{ type: 'Ready', status: 'True', reason: 'AllIsWell', observedGeneration: 1 }],
      },
    })
  })

  it('keeps the time of a condition that does not turn, and gives a new one to one that does', async () => {
    const { put, pools, start, one, standing } = await followedPools()
    const since = '2020-01-01T00:00:00Z'
    const condition = { type: 'Ready', status: 'True', reason: 'Old', message: '', lastTransitionTime: since }
    put('linux', { status: { conditions: [condition] } }, { finalizers: [poolFinalizer] })
    await start()
    const ready = () =>
      (standing()?.status as { conditions: (typeof condition)[] } | undefined)?.conditions[0]
    await pools.report(await one(), statusOf(), never)
    expect(ready()).toMatchObject({ reason: 'AllIsWell', lastTransitionTime: since })
    await pools.report(await one(), statusOf({ isReady: false }), never)
    expect(ready()).toMatchObject({ status: 'False', reason: 'ImagePull' })
    expect(ready()?.lastTransitionTime).not.toBe(since)
  })

  it('is restored after a person edited it, with its former transition times', async () => {
    const { put, pools, start, one, standing, shown } = await followedPools()
    put('linux', {}, { finalizers: [poolFinalizer] })
    await start()
    await pools.report(await one(), statusOf(), never)
    const before = standing()?.status as { conditions: Record<string, unknown>[] }
    await shown()
    const forged = { ...before.conditions[0], status: 'False', lastTransitionTime: '2020-01-01T00:00:00Z' }
    put('linux', { status: { ...before, busy: 99, conditions: [forged] } }, { finalizers: [poolFinalizer] })
    await shown()
    await pools.report(await one(), statusOf(), never)
    expect(standing()?.status).toEqual(before)
  })

  it('is not written to another pool of the same name', async () => {
    const { api, put, pools, start, one, writes } = await followedPools()
    put('linux')
    await start()
    const old = await one()
    api.truth.remove(poolsPath, 'linux')
    put('linux')
    await expect.poll(async () => (await pools.list())[0]?.uid).not.toBe(old.uid)
    await pools.report(old, statusOf(), never)
    expect(writes()).toEqual([])
  })
})

describe('a pool that is deleted', () => {
  it('stays while it is used, and goes when it is released', async () => {
    const { put, pools, start, one, standing, shown, writes } = await followedPools()
    put('linux', {}, { finalizers: ['somebody/else'] })
    await start()
    await pools.report(await one(), statusOf(), never)
    expect(standing()?.metadata.finalizers).toEqual(['somebody/else', poolFinalizer])
    await shown()
    await pools.release(await one(), never)
    expect(writes()).toEqual(['PATCH linux', 'PATCH linux/status'])
    put('linux', {}, { ...standing()?.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' })
    await shown()
    await pools.release(await one(), never)
    expect(standing()?.metadata.finalizers).toEqual(['somebody/else'])
  })

  it('is not held where it was never usable', async () => {
    const { put, pools, start, one, standing } = await followedPools()
    put('linux', { spec: {} })
    await start()
    await pools.report(await one(), statusOf({ isReady: false }), never)
    expect(standing()?.metadata.finalizers).toBeUndefined()
    expect(standing()?.status).toMatchObject({ conditions: [{ reason: 'ImagePull' }] })
  })
})
