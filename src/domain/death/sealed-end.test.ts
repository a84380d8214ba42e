import { describe, expect, it } from 'vitest'
import { endInShort, sealedEnd } from './sealed-end.ts'
import { aDeathRecord, anEnd, aPodEnd, endedAt } from './testing.ts'

const of = { pool: 'linux', sealedAt: endedAt + 1_000 }

describe('an end in short', () => {
  it('is when its host says, but not in the future', () => {
    expect(sealedEnd(aDeathRecord({ ending: anEnd() }), of).at).toBe(endedAt)
    expect(sealedEnd(aDeathRecord({ ending: anEnd({ endedAt: endedAt + 9_000 }) }), of).at).toBe(of.sealedAt)
  })

  it('is when it was sealed, where nothing was left to read', () => {
    expect(sealedEnd(aDeathRecord(), of).at).toBe(of.sealedAt)
  })

  it('is unknown where the class or the confidence is none that this program knows', () => {
    const record = { ...aDeathRecord(), class: 'struck-by-lightning', confidence: 'sure' } as never
    expect(endInShort(record)).toMatchObject({ class: 'unknown', confidence: 'unknown' })
  })

  it('can be read of a record that lacks parts', () => {
    const { containers: _, ...pod } = aPodEnd()
    const record = { class: 'crash', ending: anEnd({ pod: pod as never }) } as const
    expect(endInShort(record)).toMatchObject({
      class: 'crash',
      node: 'node-1',
      image: null,
      repository: null,
    })
    expect(endInShort({})).toMatchObject({ class: 'unknown', node: null })
  })
})
