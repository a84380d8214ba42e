import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextSurplusAt, type SurplusLevel, sustainedSurplus, trackSurplus } from './index.ts'

const timeoutMs = 100
const look = (seen: readonly (readonly [at: number, surplus: number])[]) =>
  seen.reduce<readonly SurplusLevel[]>((levels, [at, surplus]) => trackSurplus(levels, surplus, at), [])

describe('a surplus', () => {
  it('is removed after it has lasted, and not before', () => {
    const levels = look([[0, 5]])
    expect(sustainedSurplus(levels, timeoutMs, 99)).toBe(0)
    expect(nextSurplusAt(levels, timeoutMs, 99)).toBe(100)
    expect(sustainedSurplus(levels, timeoutMs, 100)).toBe(5)
    expect(nextSurplusAt(levels, timeoutMs, 100)).toBeNull()
  })

  it('that ended starts again from zero', () => {
    const levels = look([
      [0, 5],
      [50, 0],
      [60, 5],
    ])
    expect(sustainedSurplus(levels, timeoutMs, 159)).toBe(0)
    expect(sustainedSurplus(levels, timeoutMs, 160)).toBe(5)
  })

  it('that grew is removed step by step', () => {
    const levels = look([
      [0, 300],
      [2, 1000],
    ])
    expect(sustainedSurplus(levels, timeoutMs, 100)).toBe(300)
    expect(nextSurplusAt(levels, timeoutMs, 100)).toBe(102)
    expect(sustainedSurplus(levels, timeoutMs, 102)).toBe(1000)
  })

  it('is as small as it was at its smallest within the time, whatever it did', () => {
    const looks = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.nat(8)), {
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(looks, (steps) => {
        let now = 0
        let levels: readonly SurplusLevel[] = []
        const seen: { at: number; surplus: number }[] = []
        for (const [afterMs, surplus] of steps) {
          now += afterMs
          seen.push({ at: now, surplus })
          levels = trackSurplus(levels, surplus, now)
        }
        const reachesBack = seen.some(({ at }) => at <= now - timeoutMs)
        const from = seen.findLastIndex(({ at }) => at <= now - timeoutMs)
        const least = reachesBack ? Math.min(...seen.slice(from).map(({ surplus }) => surplus)) : 0
        expect(sustainedSurplus(levels, timeoutMs, now)).toBe(least)
      }),
    )
  })

  it('is kept in bounded space', () => {
    const rising = Array.from({ length: 1_000 }, (_, n) => [n, n + 1] as const)
    const levels = look(rising)
    expect(levels.length).toBeLessThanOrEqual(64)
    expect(sustainedSurplus(levels, timeoutMs, 2_000)).toBe(1_000)
    expect(sustainedSurplus(levels, timeoutMs, 999)).toBeLessThanOrEqual(900)
  })
})
