import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aJob, now } from '../../../test/support/rows.ts'
import { priorities } from '../job/index.ts'
import { compareQueued, isAged, startTag, waitingSince } from './index.ts'

const ageingMs = 1000
const first = (...jobs: ReturnType<typeof aJob>[]) =>
  [...jobs].sort((a, b) => compareQueued(a, b, now, ageingMs))[0]?.id

describe('compareQueued', () => {
  const young = { seenAt: now - 10 }

  it('takes the more urgent class first', () => {
    expect(
      first(aJob({ id: 1, ...young }), aJob({ id: 2, priority: 'critical', shareTag: 9, ...young })),
    ).toBe(2)
  })

  it('takes the lower share tag first inside a class', () => {
    expect(first(aJob({ id: 1, shareTag: 2, ...young }), aJob({ id: 2, shareTag: 1, ...young }))).toBe(2)
  })

  it('takes the older row first where tags are equal', () => {
    expect(first(aJob({ id: 2, ...young }), aJob({ id: 1, ...young }))).toBe(1)
  })

  it('takes a job that waited too long before every class', () => {
    const old = aJob({ id: 2, priority: 'low', shareTag: 99, seenAt: now - ageingMs })
    expect(first(aJob({ id: 1, priority: 'critical', ...young }), old)).toBe(2)
  })

  it('does not prefer a job that has not waited too long', () => {
    const nearly = aJob({ id: 2, priority: 'low', seenAt: now - ageingMs + 1 })
    expect(first(aJob({ id: 1, priority: 'critical', ...young }), nearly)).toBe(1)
  })

  it('takes the oldest first of those that waited too long', () => {
    const older = aJob({ id: 2, priority: 'low', seenAt: now - 3 * ageingMs })
    expect(first(aJob({ id: 1, priority: 'critical', seenAt: now - 2 * ageingMs }), older)).toBe(2)
  })

  it('is a total order, so that every process sorts alike', () => {
    const anyJob = fc
      .record({
        id: fc.integer({ min: 1, max: 6 }),
        priority: fc.constantFrom(...priorities),
        shareTag: fc.integer({ min: 0, max: 3 }),
        seenAt: fc.integer({ min: now - 2000, max: now }),
        forgeQueuedAt: fc.option(fc.integer({ min: now - 2000, max: now }), { nil: null }),
      })
      .map((over) => aJob(over))
    fc.assert(
      fc.property(anyJob, anyJob, anyJob, (a, b, c) => {
        const sign = (x: typeof a, y: typeof a) => Math.sign(compareQueued(x, y, now, ageingMs))
        expect(sign(a, b) + sign(b, a)).toBe(0)
        if (a.id !== b.id) expect(sign(a, b)).not.toBe(0)
        if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0)
      }),
      { numRuns: 500 },
    )
  })
})

describe('waitingSince', () => {
  it("goes by the forge's time where it is known, and never by one after we saw the job", () => {
    expect(waitingSince(aJob({ forgeQueuedAt: now - 500, seenAt: now - 100 }))).toBe(now - 500)
    expect(waitingSince(aJob({ forgeQueuedAt: null, seenAt: now - 100 }))).toBe(now - 100)
    expect(waitingSince(aJob({ forgeQueuedAt: now + 500, seenAt: now - 100 }))).toBe(now - 100)
  })

  it('decides from when a job is aged', () => {
    expect(isAged(aJob({ seenAt: now - ageingMs }), now, ageingMs)).toBe(true)
    expect(isAged(aJob({ seenAt: now - ageingMs + 1 }), now, ageingMs)).toBe(false)
  })
})

describe('startTag', () => {
  it('lets a repository that was idle join at the present time of the pool, without credit', () => {
    expect(startTag({ poolTag: 7, lastTag: null, weight: 1 })).toBe(7)
    expect(startTag({ poolTag: 7, lastTag: 2, weight: 1 })).toBe(7)
  })

  it('puts the next job of a busy repository one share later, less for a greater weight', () => {
    expect(startTag({ poolTag: 0, lastTag: 4, weight: 1 })).toBe(5)
    expect(startTag({ poolTag: 0, lastTag: 4, weight: 4 })).toBe(4.25)
  })
})
