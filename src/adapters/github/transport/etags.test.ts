import { describe, expect, it } from 'vitest'
import { github, routed, type Seen } from '../../../../test/contract/github/answering.ts'
import { createEtags } from './etags.ts'

const never = new AbortController().signal
const scope = { installation: 'gh', repository: 'acme/shop' }
const kept = (etag: string, byteCount = 1) => ({ etag, byteCount, body: {} })

describe('a cached response', () => {
  it('is revalidated by its ETag, and used where it did not change', async () => {
    const seen: Seen[] = []
    let version = 1
    const list = () => ({
      total_count: 1,
      runners: [{ id: version, name: 'r-1', status: 'online', busy: false }],
    })
    const { forge } = await github(
      routed(
        {
          '/repos/acme/shop/actions/runners': ({ headers }) => {
            const etag = `W/"${version}"`
            return headers['if-none-match'] === etag ? [304, undefined, { etag }] : [200, list(), { etag }]
          },
        },
        seen,
      ),
    )
    const idNow = async () => (await forge.findRunner(scope, 'r-1', never))?.id
    expect([await idNow(), await idNow()]).toEqual([1, 1])
    version = 2
    expect([await idNow(), await idNow()]).toEqual([2, 2])
    const tags = seen.map(({ headers }) => headers['if-none-match'])
    expect(tags).toEqual([undefined, 'W/"1"', 'W/"1"', 'W/"2"'])
  })

  it('is kept apart for each account', () => {
    const etags = createEtags()
    etags.put('installation 1', '/x', kept('a'))
    expect(etags.get('installation 1', '/x')?.etag).toBe('a')
    expect(etags.get('installation 2', '/x')).toBeUndefined()
  })

  it('is evicted where it is the least recently used, by count and by bytes', () => {
    const few = createEtags({ entriesMax: 2, bytesMax: 100, entryBytesMax: 100 })
    const has = (path: string) => few.get('a', path) !== undefined
    few.put('a', '/1', kept('1'))
    few.put('a', '/2', kept('2'))
    expect(has('/1')).toBe(true)
    few.put('a', '/3', kept('3'))
    expect([has('/1'), has('/2'), has('/3')]).toEqual([true, false, true])
    few.put('a', '/4', kept('4', 99))
    expect([has('/1'), has('/3'), has('/4')]).toEqual([false, true, true])
    few.put('a', '/4', kept('4', 10))
    few.put('a', '/3', kept('3', 101))
    expect([has('/3'), has('/4')]).toEqual([false, true])
  })
})
