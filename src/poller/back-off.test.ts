import { describe, expect, it } from 'vitest'
import { retryDelayMs } from './back-off.ts'

const entropy = (fraction: number) => ({ fraction: () => fraction, bytes: () => new Uint8Array() })

describe('the back-off', () => {
  it('grows with each failure and stops growing', () => {
    const waits = [1, 2, 3, 5, 6, 1_000].map((failures) => retryDelayMs(failures, null, entropy(0.999999)))
    expect(waits).toEqual([200, 400, 800, 3_200, 5_000, 5_000])
  })

  it('leaves half of the wait to chance', () => {
    expect(retryDelayMs(3, null, entropy(0))).toBe(400)
  })

  it('waits as long as the server asks, within a bound', () => {
    expect(retryDelayMs(1, 2_000, entropy(0))).toBe(2_000)
    expect(retryDelayMs(1, 86_400_000, entropy(0))).toBe(300_000)
  })
})
