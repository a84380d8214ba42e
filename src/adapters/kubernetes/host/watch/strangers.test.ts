import { describe, expect, it } from 'vitest'
import { labels } from '../../pods/index.ts'
import { hostGround, never, pods } from '../testing/ground.ts'
import { running, terminated } from '../testing/pod.ts'

const name = 'linux-00000001'
const ended = { runner: terminated(0), status: { phase: 'Succeeded' } }
const order = { reason: 'r', graceMs: 1_000, evenIfStarted: true }

describe('a pod under our labels that is not ours', () => {
  it.each([
    ['only has our labels', { annotations: {}, finalizers: [] }],
    ['is of another Holdfast', { annotations: { 'holdfast.dev/host': 'elsewhere' } }],
    ['is a copy of one under another name', { labels: { [labels.runner]: 'linux-ffffffff' } }],
  ])('since it %s is neither listed nor found, and nothing is done to it', async (_, metadata) => {
    const { api, host, put, reported, requests } = await hostGround()
    put({ ...ended, metadata })
    put({ name: 'linux-00000002', runner: running() })
    await expect.poll(() => reported).toContain('linux-00000002')
    expect((await host.list()).map((runner) => runner.name)).toEqual(['linux-00000002'])
    expect(await host.find(name, never)).toBeNull()
    await host.stop(name, order)
    await host.release(name)
    await host.protect(name)
    expect(reported).not.toContain(name)
    expect([...requests('PATCH'), ...requests('DELETE')]).toEqual([])
    api.truth.remove(pods, name)
    put({ name: 'linux-00000003', runner: running() })
    await expect.poll(() => reported).toContain('linux-00000003')
    expect(await host.find(name, never)).toBeNull()
    expect((await host.list()).map((runner) => runner.name)).not.toContain(name)
  })
})

describe('a pod of ours from which somebody took a mark', () => {
  it.each([
    ['the name of its host', { annotations: {} }],
    ['its finalizer', { finalizers: [] }],
  ])('is still ours without %s', async (_, metadata) => {
    const { host, put, seen } = await hostGround()
    put({ runner: running(), metadata })
    await expect.poll(() => seen(name)).toMatchObject({ state: 'running' })
    expect(await host.find(name, never)).not.toBeNull()
  })
})
