import { describe, expect, it } from 'vitest'
import { status } from '../testing/api-server.ts'
import { bench, podPath, runningView } from '../testing/bench.ts'
import { followed } from '../testing/followed.ts'

const never = new AbortController().signal

describe('a cluster that does not answer', () => {
  it('leaves everything in the view, and its age grows', async () => {
    const { api, view, names, clock, log } = await followed()
    api.faults.push((_, response) => void response.destroy())
    api.cut()
    await expect.poll(() => view.freshness().problem).not.toBeNull()
    const { ageMs } = view.freshness()
    await clock.sleep(1_000)
    expect(view.freshness().ageMs).toBeGreaterThanOrEqual(ageMs + 900)
    expect(names()).toEqual(['a', 'b', 'c'])
    expect(log.lines).toContain('warn the view of the cluster is not up to date')
  })

  it('to a page of a list removes nothing', async () => {
    const { api, view, names } = await followed()
    api.truth.compact()
    api.truth.tick()
    api.truth.compact()
    api.faults.push(({ query }, response) => {
      if (query.get('watch')) return true
      status(response, 500, 'InternalError', 'etcd is away')
      return false
    })
    api.cut()
    await expect.poll(() => view.freshness().problem).toContain('etcd is away')
    expect(names()).toEqual(['a', 'b', 'c'])
  })

  it('with a list that breaks off between pages begins it again', async () => {
    const { api, ...rest } = await bench()
    for (let index = 0; index < 700; index += 1) api.truth.put(podPath, `pod-${index}`)
    api.failNext(1, () => true)
    let wasCompacted = false
    api.faults.push(({ query }) => {
      if (!query.get('continue') || wasCompacted) return true
      wasCompacted = true
      api.truth.remove(podPath, 'pod-0')
      api.truth.compact()
      return true
    })
    const view = runningView(rest)
    await view.whole(never)
    expect(view.list().value).toHaveLength(699)
    expect(view.counts().lists).toBe(2)
  })

  it('because it is throttled is asked again after its Retry-After', async () => {
    const { api, clock, ...rest } = await bench()
    api.failNext(
      2,
      (_, response) => void status(response, 429, 'TooManyRequests', 'busy', { 'retry-after': '7' }),
    )
    const before = clock.now()
    const view = runningView(rest)
    await view.whole(never)
    expect(clock.now() - before).toBeGreaterThanOrEqual(14_000)
    expect(view.counts()).toMatchObject({ lists: 1, failures: 0 })
  })

  it('from our version any more, since it was restored, is listed again, also backwards', async () => {
    const { api, view, put, noteOf } = await followed()
    api.deliver = () => []
    api.truth.restoreTo(500)
    put('a', 'restored')
    api.cut()
    await expect.poll(() => noteOf('a'), { timeout: 5_000 }).toBe('restored')
    api.deliver = (event) => [event]
    await expect.poll(() => api.watches.size).toBe(1)
    put('b', 'after')
    await expect.poll(() => noteOf('b')).toBe('after')
    expect(view.counts().lists).toBe(2)
  })
})
