import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { labels } from '../../pods/index.ts'
import { hostGround, pods } from '../testing/ground.ts'
import { running } from '../testing/pod.ts'

const name = 'linux-00000001'
const none = Object.fromEntries(Object.values(labels).map((label) => [label, null]))

describe('labels that a person removed from a pod', () => {
  it('are restored where the watch lost the pod by that, and labels of others are kept', async () => {
    const { api, put, seen } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toMatchObject({ pool: 'linux' })
    const before = api.truth.get(pods, name)
    api.deliver = () => []
    const torn = api.truth.change(pods, name, { metadata: { labels: { ...none, own: 'kept' } } }, true)
    api.deliver = (event) => [event]
    const metadata = { ...before?.metadata, resourceVersion: torn.metadata.resourceVersion }
    api.send(pods, `${JSON.stringify({ type: 'DELETED', object: { ...before, metadata } })}\n`)
    await expect
      .poll(() => api.truth.get(pods, name)?.metadata.labels)
      .toEqual({ ...(before?.metadata.labels as object), own: 'kept' })
    await expect.poll(() => seen(name)).toMatchObject({ pool: 'linux', program: 'started' })
  })

  it('are put back where it is still seen', async () => {
    const { api, put, seen, requests } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toBeDefined()
    api.truth.change(pods, name, { metadata: { labels: { [labels.pool]: null } } }, true)
    await expect
      .poll(() => api.truth.get(pods, name)?.metadata.labels)
      .toMatchObject({ [labels.pool]: 'linux' })
    await expect.poll(() => seen(name)).toMatchObject({ pool: 'linux' })
    expect(requests('PATCH')).toHaveLength(1)
  })

  it('are left to the leader where we do not lead', async () => {
    const { api, put, seen, requests, writeWith } = await hostGround()
    put({ runner: running() })
    await expect.poll(() => seen(name)).toBeDefined()
    writeWith(() => {
      throw new HoldfastError('E_CLUSTER_NOT_LEADER', { holder: 'we', reason: 'it is over' })
    })
    api.truth.change(pods, name, { metadata: { labels: { [labels.pool]: null } } }, true)
    await expect.poll(() => seen(name)).toMatchObject({ pool: '' })
    expect(requests('PATCH')).toHaveLength(0)
  })
})
