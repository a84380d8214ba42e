import { describe, expect, it } from 'vitest'
import { now } from '../../../test/support/rows.ts'
import { forgeLimitOf, leaseMs, pointCursor, pointPaceOf, writePoints } from './index.ts'

const perMinute = 900
const pace = pointPaceOf(perMinute)
const cursors = (givenUntil: number) => new Map([[pointCursor(perMinute, 'github token'), givenUntil]])

describe('the pace under a limit by points', () => {
  it('comes to less than the limit in any minute, whatever was taken and not used before', () => {
    const steady = (60_000 + leaseMs) / pace.msPerPoint
    expect(steady + pace.burstMs / pace.msPerPoint).toBeLessThanOrEqual(perMinute - 60)
    expect(60_000 / pace.msPerPoint / writePoints).toBeGreaterThan(120)
  })

  it('lets a mint go under the smallest limit', () => {
    const { burstMs, msPerPoint, chunkPoints } = pointPaceOf(1)
    expect(chunkPoints).toBeGreaterThanOrEqual(writePoints)
    expect(chunkPoints * msPerPoint).toBeLessThanOrEqual(burstMs)
  })
})

describe('the limit that a job waits for', () => {
  it('is reported with the time of its turn, behind the calls before it', () => {
    const first = forgeLimitOf(cursors(now + pace.burstMs), now, 0)
    expect(first).toMatchObject({ perMinute })
    const later = forgeLimitOf(cursors(now + pace.burstMs), now, 131)
    expect((later?.until ?? 0) - now).toBeCloseTo(60_000, -2)
  })

  it('is not reported while points are left, nor where the forge counts none', () => {
    expect(forgeLimitOf(cursors(now), now, 3)).toBeNull()
    expect(forgeLimitOf(cursors(now - 60_000), now, 3)).toBeNull()
    expect(forgeLimitOf(new Map(), now, 3)).toBeNull()
  })
})
