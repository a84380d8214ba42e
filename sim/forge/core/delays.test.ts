import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forgeDelays } from './delays.ts'
import { githubDelays } from './work-model.ts'

describe('forgeDelays', () => {
  it("are GitHub's where nothing is given", () => {
    expect(forgeDelays()).toEqual(githubDelays)
  })

  it('let a runner renew several times before its job is given up, whenever that is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 3_600_000 }), (lostAfterMs) => {
        expect(forgeDelays({ lostAfterMs }).renewEveryMs).toBeLessThanOrEqual(lostAfterMs / 2)
      }),
    )
    expect(forgeDelays({ lostAfterMs: 20_000 }).renewEveryMs).toBe(5_000)
  })

  it('refuse a renewal that comes too rarely to keep a job', () => {
    expect(() => forgeDelays({ lostAfterMs: 20_000, renewEveryMs: 60_000 })).toThrow(
      'renewEveryMs: expected at most 10000',
    )
  })

  it('do not refuse the rarest renewal that keeps one', () => {
    expect(forgeDelays({ lostAfterMs: 20_000, renewEveryMs: 10_000 }).renewEveryMs).toBe(10_000)
  })
})
