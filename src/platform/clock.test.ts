import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClock } from './clock.ts'
import { createEntropy } from './entropy.ts'

const dayMs = 86_400_000

describe('the clock', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('wakes a sleeper after its delay, and not before', async () => {
    let isAwake = false
    const sleeping = createClock()
      .sleep(100)
      .then(() => {
        isAwake = true
      })
    await vi.advanceTimersByTimeAsync(99)
    expect(isAwake).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isAwake).toBe(true)
    await sleeping
  })

  it('ends a sleep with the reason of its signal and leaves no timer', async () => {
    const abort = new AbortController()
    const sleeping = createClock().sleep(100, abort.signal)
    abort.abort(new Error('stop'))
    await expect(sleeping).rejects.toThrow('stop')
    await expect(createClock().sleep(100, abort.signal)).rejects.toThrow('stop')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits longer than one timer of Node can', async () => {
    let calls = 0
    createClock().after(60 * dayMs, () => calls++)
    await vi.advanceTimersByTimeAsync(59 * dayMs)
    expect(calls).toBe(0)
    await vi.advanceTimersByTimeAsync(dayMs)
    expect(calls).toBe(1)
  })

  it('does not fire a timer that was cancelled, and refuses a delay that is no number', () => {
    let calls = 0
    createClock().after(5, () => calls++)()
    vi.advanceTimersByTime(10)
    expect(calls).toBe(0)
    expect(() => createClock().after(Number.NaN, () => calls++)).toThrow('not a number')
  })
})

describe('entropy', () => {
  it('gives as many bytes as asked, different each time, and fractions below one', () => {
    expect(createEntropy().bytes(32)).toHaveLength(32)
    expect(createEntropy().bytes(32)).not.toEqual(createEntropy().bytes(32))
    const fractions = Array.from({ length: 100 }, () => createEntropy().fraction())
    expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true)
  })
})
