import { describe, expect, it } from 'vitest'
import { endSummaryOf, sealedEnd } from './sealed-end.ts'
import { aDeathRecord, anEnd, aPodEnd, endedAt } from './testing.ts'

const of = { pool: 'linux', sealedAt: endedAt + 1_000 }

describe('the summary of an end', () => {
  it('has the time of its host, but not one in the future', () => {
    expect(sealedEnd(aDeathRecord({ ending: anEnd() }), of).at).toBe(endedAt)
    expect(sealedEnd(aDeathRecord({ ending: anEnd({ endedAt: endedAt + 9_000 }) }), of).at).toBe(of.sealedAt)
  })

  it('has the time of the seal, where nothing was left to read', () => {
    expect(sealedEnd(aDeathRecord(), of).at).toBe(of.sealedAt)
  })

  it('is unknown where this version does not know the class or the confidence', () => {
    const record = { ...aDeathRecord(), class: 'struck-by-lightning', confidence: 'sure' } as never
    expect(endSummaryOf(record)).toMatchObject({ class: 'unknown', confidence: 'unknown' })
  })

  it('can be read of a record that lacks parts', () => {
    const { containers: _, ...pod } = aPodEnd()
    const record = { class: 'crash', ending: anEnd({ pod: pod as never }) } as const
    expect(endSummaryOf(record)).toMatchObject({
      class: 'crash',
      node: 'node-1',
      image: null,
      repository: null,
    })
    expect(endSummaryOf({})).toMatchObject({ class: 'unknown', node: null })
  })
})
