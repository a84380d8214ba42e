import { describe, expect, it } from 'vitest'
import { createDemotedKeys } from './demoted-keys.ts'

const keyOf = (key: string) => key

describe('demoted keys', () => {
  it('come after all others, which keep their order', () => {
    const keys = createDemotedKeys()
    keys.demote('b')
    expect(keys.order(['a', 'b', 'c'], keyOf)).toEqual(['a', 'c', 'b'])
  })

  it('come in the order of their demotion; one that fails again goes to the end', () => {
    const keys = createDemotedKeys()
    for (const key of ['c', 'a', 'b', 'c']) keys.demote(key)
    expect(keys.order(['a', 'b', 'c'], keyOf)).toEqual(['a', 'b', 'c'])
  })

  it('return to their place once they are restored', () => {
    const keys = createDemotedKeys()
    keys.demote('a')
    keys.restore('a')
    expect(keys.order(['a', 'b'], keyOf)).toEqual(['a', 'b'])
  })

  it('are all forgotten when there are too many, so that memory stays bounded (I10)', () => {
    const keys = createDemotedKeys()
    for (let n = 0; n <= 10_000; n += 1) keys.demote(`key ${n}`)
    expect(keys.order(['key 9999', 'key 10000', 'other'], keyOf)).toEqual(['key 9999', 'other', 'key 10000'])
  })
})
