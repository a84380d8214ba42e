import { describe, expect, it } from 'vitest'
import { annotations, labels } from '../../pods/index.ts'
import { restoresMax } from '../actions/restore-marks.ts'
import { hostGround, never, pods } from '../testing/ground.ts'
import { running } from '../testing/pod.ts'

const name = 'linux-00000001'
const otherLabel = { labels: { [labels.runner]: 'somebody-else' } }
const otherHost = { annotations: { [annotations.host]: 'elsewhere' } }
const changes = [
  ['the label of its runner', otherLabel],
  ['the annotation of its host', otherHost],
  ['both', { ...otherLabel, ...otherHost }],
] as const

describe('a pod that was seen as ours', () => {
  it.each(changes)('runs, although a person changed %s', async (_, metadata) => {
    const { api, host, put, seen, reported } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toBeDefined()
    reported.length = 0
    api.truth.change(pods, name, { metadata }, true)
    await expect.poll(() => reported).toContain(name)
    expect(await seen(name)).toMatchObject({ state: 'running', program: 'started' })
    expect(await host.find(name, never)).toMatchObject({ state: 'running' })
  })

  it.each(changes)('gets its marks back where a person changed %s', async (_, metadata) => {
    const { api, put, seen } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toBeDefined()
    api.truth.change(pods, name, { metadata }, true)
    await expect.poll(() => marksOf(api)).toEqual([name, 'here'])
    await expect.poll(() => seen(name)).toMatchObject({ state: 'running' })
  })

  it('is not that of another UID that took its name', async () => {
    const { api, host, put, seen, reported } = await hostGround()
    const { uid } = put({ runner: running() }).metadata
    await expect.poll(() => seen(name)).toBeDefined()
    api.truth.remove(pods, name)
    put({ runner: running() })
    await expect.poll(() => seen(name)).toMatchObject({ state: 'exited' })
    expect(host.uidOf(name)).toBe(uid)
    reported.length = 0
    await host.release(name)
    expect(api.truth.get(pods, name)).toBeDefined()
    expect(await seen(name)).toMatchObject({ state: 'running' })
  })
})

describe('marks that somebody changes each time', () => {
  it('are put back so many times, and then left', async () => {
    const { api, put, seen, requests, log } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toBeDefined()
    for (let n = 1; n <= restoresMax; n += 1) {
      api.truth.change(pods, name, { metadata: otherHost }, true)
      await expect.poll(() => marksOf(api)).toEqual([name, 'here'])
    }
    api.truth.change(pods, name, { metadata: otherHost }, true)
    await expect.poll(() => log.lines).toContainEqual(expect.stringMatching(/again and again/))
    expect(requests('PATCH')).toHaveLength(restoresMax)
  })
})

describe('a pod that the ledger knows, and of which nobody here saw the true marks', () => {
  it.each(changes)('is found by its UID, and gets its marks back: %s', async (_, metadata) => {
    const { api, host, put, reported } = await hostGround()
    const { uid } = put({ runner: running(), metadata: { ...marks, ...metadata } }).metadata
    put({ name: 'linux-00000002', runner: running() })
    await expect.poll(() => reported).toContain('linux-00000002')
    expect(await host.find(name, never)).toBeNull()
    expect(await host.find(name, never, uid)).toMatchObject({ state: 'running' })
    await expect.poll(() => marksOf(api)).toEqual([name, 'here'])
    expect((await host.list()).map((runner) => runner.name)).toContain(name)
  })

  it('is found although no watch shows it, since it has no label of ours any more', async () => {
    const { api, host, put, seen } = await hostGround()
    api.deliver = () => []
    const { uid } = put({
      runner: running(),
      metadata: { labels: {}, annotations: {}, finalizers: [] },
    }).metadata
    expect(await host.find(name, never)).toBeNull()
    expect(await host.find(name, never, uid)).toMatchObject({ state: 'running' })
    expect(await seen(name)).toMatchObject({ state: 'running' })
    await expect.poll(() => marksOf(api)).toEqual([name, 'here'])
  })

  it('comes back into sight by its annotation alone, where its labels are gone', async () => {
    const { api, host, put, seen } = await hostGround()
    api.deliver = () => []
    put({ runner: running(), metadata: { labels: {} } })
    expect(await host.find(name, never)).toMatchObject({ state: 'running' })
    expect(await seen(name)).toMatchObject({ state: 'running' })
    await expect.poll(() => marksOf(api)).toEqual([name, 'here'])
  })

  it('is neither present nor absent where its UID is unknown too', async () => {
    const { host, put, reported } = await hostGround()
    put({ runner: running(), metadata: { ...marks, ...otherHost } })
    put({ name: 'linux-00000002', runner: running() })
    await expect.poll(() => reported).toContain('linux-00000002')
    await expect(host.find(name, never, null)).rejects.toMatchObject({ code: 'E_RUNNER_POD_UNCERTAIN' })
    expect(await host.find('linux-00000003', never, null)).toBeNull()
  })

  it('is absent where the cluster has another one under its name', async () => {
    const { host, put, reported } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => reported).toContain(name)
    expect(await host.find(name, never, 'another')).toBeNull()
  })
})

const marks = { labels: { [labels.runner]: name }, annotations: { [annotations.host]: 'here' } }

function marksOf({ truth }: Awaited<ReturnType<typeof hostGround>>['api']): unknown[] {
  const { labels: given, annotations: notes } = (truth.get(pods, name)?.metadata ?? {}) as typeof marks
  return [given?.[labels.runner], notes?.[annotations.host]]
}
