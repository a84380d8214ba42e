import { describe, expect, it } from 'vitest'
import type { Change } from '../../../../ports/cluster.ts'
import { eventLine, status } from '../testing/api-server.ts'
import { bench, type FakePod, podPath, runningView } from '../testing/bench.ts'
import { followed } from '../testing/followed.ts'

const never = new AbortController().signal

describe('a view', () => {
  it('has the listed objects, then applies the watch events, and drops managedFields', async () => {
    const { api, view, changes, put, names } = await followed()
    expect(names()).toEqual(['a', 'b', 'c'])
    put('b', 'new')
    put('d', 'new')
    api.truth.remove(podPath, 'a')
    await expect.poll(names).toEqual(['b', 'c', 'd'])
    expect(changes.slice(3)).toEqual(['changed ci/b', 'added ci/d', 'removed ci/a'])
    expect(view.get('ci/b').value?.metadata).not.toHaveProperty('managedFields')
  })

  it('is not whole before the last page has come, and says so', async () => {
    const { api, ...rest } = await bench()
    for (let index = 0; index < 1_201; index += 1) api.truth.put(podPath, `pod-${index}`)
    let release = () => {}
    api.faults.push(({ query }, response) => {
      if (!query.get('continue')?.endsWith(':1100')) return true
      release = () => response.destroy()
      return false
    })
    const view = runningView(rest)
    await expect.poll(() => view.list().value.length).toBe(1_100)
    expect(view.list().freshness).toMatchObject({
      isWhole: false,
      provenAt: null,
      ageMs: Number.POSITIVE_INFINITY,
    })
    api.faults.length = 0
    release()
    await view.whole(never)
    expect(view.list().value).toHaveLength(1_201)
    const limits = api.requests.map(({ query }) => query.get('limit')).filter(Boolean)
    expect([limits[0], ...new Set(limits.slice(1))]).toEqual(['100', '500'])
  })

  it('finds objects by index, also after they moved', async () => {
    const { api, view } = await followed({
      indexes: { node: (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []) },
    })
    const onNode = (node: string) => view.by('node', node).value.map(({ metadata }) => metadata.name)
    const place = (nodeName: string) =>
      api.truth.put(podPath, 'a', { metadata: { namespace: 'ci' }, spec: { nodeName } })
    place('n-1')
    await expect.poll(() => onNode('n-1')).toEqual(['a'])
    place('n-2')
    await expect.poll(() => onNode('n-2')).toEqual(['a'])
    expect(onNode('n-1')).toEqual([])
    api.truth.remove(podPath, 'a')
    await expect.poll(() => onNode('n-2')).toEqual([])
    expect(() => view.by('zone', 'z')).toThrow('no index "zone"')
  })

  it('notifies all other listeners when one throws', async () => {
    const { view, put, changes, log } = await followed()
    view.onChange(() => {
      throw new Error('odd')
    })
    const after: Change<FakePod>[] = []
    view.onChange((change) => after.push(change))
    put('a', 1)
    await expect.poll(() => after.length).toBe(1)
    expect(changes).toContain('changed ci/a')
    expect(log.lines).toContain('error a listener to changes in the cluster failed')
  })
})

describe('a watch that ends', () => {
  it.each(['end', 'destroy'] as const)('by %s is resumed where it was, without a new list', async (how) => {
    const { api, view, put, noteOf } = await followed()
    put('a', 1)
    await expect.poll(() => noteOf('a')).toBe(1)
    const version = String(api.truth.version)
    api.cut(how)
    put('a', 2)
    await expect.poll(() => noteOf('a')).toBe(2)
    expect(view.counts().lists).toBe(1)
    const last = api.requests.filter(({ query }) => query.get('watch')).at(-1)
    expect(last?.query.get('resourceVersion')).toBe(version)
    expect(last?.query.get('allowWatchBookmarks')).toBe('true')
  })

  it('in the middle of a line loses nothing', async () => {
    const { api, view, put, noteOf } = await followed()
    api.deliver = () => []
    const object = put('a', 'whole')
    api.send(podPath, eventLine('MODIFIED', object).slice(0, 30))
    api.cut()
    await expect.poll(() => noteOf('a')).toBe('whole')
    expect(view.counts()).toMatchObject({ lists: 1 })
  })

  it('because its resourceVersion is too old leads to a new list, which also finds what was deleted meanwhile', async () => {
    const { api, view, changes, put, names } = await followed()
    const gone: boolean[] = []
    view.onChange((change) => change.kind === 'removed' && gone.push(change.isFinal))
    api.deliver = () => []
    put('d', 1)
    api.truth.remove(podPath, 'b')
    api.truth.compact()
    api.cut()
    await expect.poll(names).toEqual(['a', 'c', 'd'])
    expect(view.counts().lists).toBe(2)
    expect(changes.slice(3).sort()).toEqual(['added ci/d', 'removed ci/b'])
    expect(gone).toEqual([false])
    expect(view.freshness().problem).toBeNull()
  })

  it('because its version is forgotten, again and again, is not listed without a pause', async () => {
    const { api, view, clock } = await followed()
    const before = clock.now()
    api.faults.push(({ query }, response) => {
      if (!query.get('watch')) return true
      status(response, 410, 'Expired', 'too old')
      return false
    })
    api.cut()
    await expect.poll(() => view.counts().lists).toBe(5)
    expect(clock.now() - before).toBeGreaterThan(2_500)
    api.faults.length = 0
    await expect.poll(() => api.watches.size).toBe(1)
  })

  it('because it is silent leads to a list, which proves the view', async () => {
    const { api, view, put, noteOf } = await followed({ unprovenMaxMs: 2_000 })
    api.deliver = () => []
    put('a', 'missed')
    await expect.poll(() => noteOf('a')).toBe('missed')
    expect(view.counts().lists).toBeGreaterThanOrEqual(2)
    expect(view.freshness().ageMs).toBeLessThan(2_000)
  })

  it('in order and in time proves the view of a kind without bookmarks, which is not listed again', async () => {
    const { api, view, clock, log } = await followed({ unprovenMaxMs: 20_000, hasBookmarks: false })
    for (let watches = 1; watches <= 3; watches += 1) {
      const before = view.freshness().provenAt ?? 0
      await clock.sleep(10_000)
      api.cut('end')
      await expect.poll(() => view.counts().watches).toBe(watches + 1)
      expect(view.freshness().provenAt).toBeGreaterThanOrEqual(before + 10_000)
      await expect.poll(() => api.watches.size).toBe(1)
    }
    expect(view.counts().lists).toBe(1)
    expect(log.lines.filter((line) => line.startsWith('warn'))).toEqual([])
  })

  it('before its time proves nothing of a kind without bookmarks', async () => {
    const { api, view } = await followed({ hasBookmarks: false })
    const before = view.freshness().provenAt
    api.cut('end')
    await expect.poll(() => view.counts().watches).toBe(2)
    expect(view.freshness().provenAt).toBe(before)
  })

  it('because bytes trickle that become no event is not waited for either', async () => {
    const { api, put, noteOf } = await followed({ unprovenMaxMs: 3_000 })
    api.deliver = () => []
    put('a', 'missed')
    const trickle = setInterval(() => api.send(podPath, ' '), 10)
    await expect
      .poll(() => noteOf('a'))
      .toBe('missed')
      .finally(() => clearInterval(trickle))
  })

  it('and is opened again ends the outage, but only an event proves that the view is fresh', async () => {
    const { api, view } = await followed()
    api.failNext(2, (_, response) => void response.destroy())
    api.cut()
    await expect.poll(() => view.freshness().problem).toContain('no usable answer')
    await expect.poll(() => view.freshness().problem).toBeNull()
    const before = view.freshness().provenAt ?? 0
    expect(before).toBeGreaterThan(0)
    api.bookmark(podPath)
    await expect.poll(() => view.freshness().provenAt).toBeGreaterThan(before)
    expect(view.counts().lists).toBe(1)
  })
})

describe('a watch that lies', () => {
  it('with repeated and late events changes nothing back', async () => {
    const { api, view, changes, put, noteOf, names } = await followed()
    const old = put('a', 'old')
    put('a', 'new')
    const gone = put('d', 'short')
    api.truth.remove(podPath, 'd')
    await expect.poll(() => changes.at(-1)).toBe('removed ci/d')
    const before = changes.length
    api.send(podPath, eventLine('MODIFIED', old) + eventLine('ADDED', gone) + eventLine('DELETED', old))
    put('b', 'marker')
    await expect.poll(() => noteOf('b')).toBe('marker')
    expect(changes.slice(before)).toEqual(['changed ci/b'])
    expect([noteOf('a'), names()]).toEqual(['new', ['a', 'b', 'c']])
    expect(view.counts().repeated).toBe(3)
  })

  it('about the order of two objects is applied, and followed by a list when it ends', async () => {
    const { api, view, put, noteOf } = await followed()
    const held: Parameters<typeof api.deliver>[0][] = []
    api.deliver = (event) => {
      held.push(event)
      return []
    }
    put('a', 1)
    put('b', 2)
    for (const { type, object } of held.reverse()) api.send(podPath, eventLine(type, object))
    await expect.poll(() => [noteOf('a'), noteOf('b')]).toEqual([1, 2])
    expect(view.counts()).toMatchObject({ late: 1, lists: 1 })
    api.cut()
    await expect.poll(() => view.counts().lists).toBe(2)
  })

  it.each([
    ['is no JSON', 'garbage\n'],
    [
      'has an unknown type',
      eventLine('RENAMED', { metadata: { name: 'x', uid: 'u', resourceVersion: '1' } }),
    ],
    ['is about no object', eventLine('ADDED', { spec: {} })],
  ])('with a line that %s is not read further: all objects are listed again', async (_, line) => {
    const { api, view, put, noteOf } = await followed()
    api.send(podPath, line)
    await expect.poll(() => view.counts().lists).toBe(2)
    put('a', 'after')
    await expect.poll(() => noteOf('a')).toBe('after')
  })

  it('with an object of the same name and another UID reports a removal and an addition', async () => {
    const { api, changes, put } = await followed()
    api.deliver = (event) => (event.type === 'DELETED' ? [] : [event])
    api.truth.remove(podPath, 'a')
    put('a', 'second')
    await expect.poll(() => changes.slice(3)).toEqual(['removed ci/a', 'added ci/a'])
  })
})
