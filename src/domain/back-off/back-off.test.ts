import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BackOff, backOffMs, spreadMs } from './index.ts'

const backOffs = fc
  .record({
    baseMs: fc.integer({ min: 1, max: 60_000 }),
    times: fc.integer({ min: 1, max: 1_000 }),
    factor: fc.double({ min: 1, max: 10, noNaN: true }),
  })
  .map(({ baseMs, times, factor }): BackOff => ({ baseMs, capMs: baseMs * times, factor }))
const failureCounts = fc.integer({ min: 1, max: 100_000 })
const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('backOffMs', () => {
  it('doubles from its base to its cap', () => {
    const backOff = { baseMs: 250, capMs: 1_500 }
    expect([1, 2, 3, 4, 5].map((failures) => backOffMs(backOff, failures))).toEqual([
      250, 500, 1_000, 1_500, 1_500,
    ])
  })

  it('multiplies by the factor it is given', () => {
    expect([1, 2, 3].map((failures) => backOffMs({ baseMs: 1, capMs: 50, factor: 3 }, failures))).toEqual([
      1, 3, 9,
    ])
  })

  it('starts at its base, never shrinks with more failures, and never passes its cap', () => {
    fc.assert(
      fc.property(backOffs, failureCounts, (backOff, failures) => {
        const [delayMs, nextMs] = [backOffMs(backOff, failures), backOffMs(backOff, failures + 1)]
        expect(backOffMs(backOff, 1)).toBe(backOff.baseMs)
        expect(nextMs).toBeGreaterThanOrEqual(delayMs)
        expect(nextMs).toBeLessThanOrEqual(backOff.capMs)
      }),
    )
  })

  it('with jitter lies between its half and its whole, and grows with the fraction', () => {
    fc.assert(
      fc.property(backOffs, failureCounts, fractions, (backOff, failures, fraction) => {
        const [wholeMs, jitteredMs] = [backOffMs(backOff, failures), backOffMs(backOff, failures, fraction)]
        expect(backOffMs(backOff, failures, 0)).toBe(wholeMs / 2)
        expect(jitteredMs).toBeGreaterThanOrEqual(wholeMs / 2)
        expect(jitteredMs).toBeLessThanOrEqual(wholeMs)
        expect(jitteredMs).toBeGreaterThanOrEqual(backOffMs(backOff, failures, fraction / 2))
      }),
    )
  })
})

describe('spreadMs', () => {
  it('is never less than asked, and less than twice as much', () => {
    expect(spreadMs(1_000, 0)).toBe(1_000)
    expect(spreadMs(1_000, 0.5)).toBe(1_500)
    expect(spreadMs(1_000, 0.999)).toBeLessThan(2_000)
  })
})
