import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  classifyDeath,
  type DeathRecord,
  type HostSample,
  type JobAtEnd,
} from '../../../domain/death/index.ts'
import { aDeathRecord, anEnd, aPodEnd } from '../../../domain/death/testing.ts'
import { bounded, recordBytesMax } from './record-size.ts'

const bytesOf = (record: DeathRecord) => Buffer.byteLength(JSON.stringify(record))
const long = (chars: number, of = '\u0001') => of.repeat(chars)
const tooMuch = (chars: number) => {
  const { containers, ...pod } = aPodEnd()
  const container = {
    ...containers[0],
    tail: long(chars),
    message: long(chars),
  } as (typeof containers)[number]
  const event = { type: 'Normal', reason: 'r', message: long(chars), count: 1, firstAt: 1, lastAt: 1 }
  return { ...pod, containers: Array(40).fill(container), events: Array(30).fill(event) }
}

describe('the size of a death record', () => {
  it('is unchanged where it is usual', () => {
    const record = classifyDeath(anEnd({ exitCode: 1, tail: 'x'.repeat(64 * 1024), pod: aPodEnd() }))
    expect(bounded(record)).toBe(record)
  })

  it('has room for the longest tail that a pool may ask for', () => {
    const tail = `${'x'.repeat(99)}\n`.repeat(10_485)
    const { ending, outcome } = bounded(classifyDeath(anEnd({ exitCode: 1, tail })))
    expect({ tail: ending?.tail, outcome }).toEqual({ tail, outcome: 'complete' })
  })

  it('drops everything but the runner’s own end first, and says so', () => {
    const ending = anEnd({ exitCode: 1, tail: 'its last words\n', pod: tooMuch(40_000) })
    const kept = bounded(classifyDeath(ending))
    expect(bytesOf(kept)).toBeLessThanOrEqual(recordBytesMax)
    expect(kept).toMatchObject({
      class: 'failed',
      outcome: 'incomplete',
      ending: { tail: 'its last words\n' },
    })
    expect(kept.ending?.pod).toMatchObject({ place: ending.pod?.place, events: [] })
    expect(kept.ending?.missing.join()).toContain('too large')
  })

  it('cuts a tail that grows by its escapes at its old end', () => {
    const tail = `${long(1024 * 1024)}the end`
    const kept = bounded(classifyDeath(anEnd({ exitCode: 1, tail })))
    expect(bytesOf(kept)).toBeLessThanOrEqual(recordBytesMax)
    expect(kept.ending?.tail.endsWith('the end')).toBe(true)
    expect(kept.ending?.tail.length).toBeGreaterThan(200_000)
  })

  it('keeps the newest two minutes of samples', () => {
    const samples = Array.from({ length: 500 }, (_, at) => ({ at })) as unknown as HostSample[]
    const ring = { podUid: 'u', node: 'n', samples, oomLines: [], endedAt: null, missing: [] }
    const record = classifyDeath<JobAtEnd>(anEnd({ exitCode: 1 }), {
      job: null,
      ring: { ...ring, lastSampleAgeMs: 1 },
    })
    const kept = bounded(record).ring?.samples
    expect(kept).toHaveLength(120)
    expect(kept?.at(-1)).toEqual({ at: 499 })
  })

  it('is never more than its maximum, whatever its parts are', () => {
    const chars = fc.integer({ min: 0, max: 40_000 })
    const parts = fc.tuple(chars, chars, chars, fc.constantFrom('a', '\u0001', '漢', '🦀'))
    fc.assert(
      fc.property(parts, ([tail, asides, words, of]) => {
        const missing = Array(60).fill(long(words, of))
        const ending = anEnd({ tail: long(tail * 30, of), pod: tooMuch(asides), missing })
        const record = aDeathRecord({ ending, unknown: missing })
        expect(bytesOf(bounded(record))).toBeLessThanOrEqual(recordBytesMax)
      }),
      { numRuns: 8 },
    )
  }, 60_000)
})
