import { describe, expect, it } from 'vitest'
import { hostGround, pods } from './testing/ground.ts'

describe('a pod is seen', () => {
  it('as exactly this one, while nobody wants it to go', async () => {
    const { host, put, api } = await hostGround()
    const { name, uid } = put().metadata as { name: string; uid: string }
    expect(host.sees({ name: 'linux-ffffffff', uid })).toBe(false)
    await expect.poll(() => host.sees({ name, uid })).toBe(true)
    expect(host.sees({ name, uid: 'another' })).toBe(false)
    const pod = api.truth.get(pods, name)
    const metadata = { ...pod?.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' }
    api.truth.put(pods, name, { ...pod, metadata })
    await expect.poll(() => host.sees({ name, uid })).toBe(false)
  })

  it('not when it is gone', async () => {
    const { host, put, api } = await hostGround()
    const { name, uid } = put().metadata as { name: string; uid: string }
    await expect.poll(() => host.sees({ name, uid })).toBe(true)
    api.truth.remove(pods, name)
    await expect.poll(() => host.sees({ name, uid })).toBe(false)
  })
})

describe('the UID of a pod', () => {
  it('is known from its start, while it is there, and after it went', async () => {
    const { host, start, api, reported } = await hostGround()
    const name = 'linux-00000001'
    expect(host.uidOf(name)).toBeUndefined()
    api.deliver = () => []
    await start(name)
    const uid = api.truth.get(pods, name)?.metadata.uid
    expect(host.uidOf(name)).toBe(uid)
    api.deliver = (event) => [event]
    api.truth.change(pods, name, { spec: { nodeName: 'node-1' } }, true)
    await expect.poll(() => reported).toContain(name)
    expect(host.uidOf(name)).toBe(uid)
    api.truth.remove(pods, name)
    await expect.poll(() => host.sees({ name, uid: `${uid}` })).toBe(false)
    expect(host.uidOf(name)).toBe(uid)
  })
})
