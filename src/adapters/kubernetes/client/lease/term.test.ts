import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../../platform/lifecycle/fakes.ts'
import type { Clock } from '../../../../ports/clock.ts'
import { beginTerm } from './term.ts'

describe('a term', () => {
  it('ends by itself also where timers fire slightly early', async () => {
    const clock = new ManualClock()
    const hasty: Clock = {
      now: () => clock.now(),
      after: (delayMs, callback) => clock.after(Math.max(0.5, delayMs - 1), callback),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    }
    const sentAt = { wall: clock.now(), steady: clock.now() }
    const clocks = { clock: hasty, steadyMs: () => clock.now() }
    const ends: string[] = []
    const term = beginTerm({ holder: 'a', token: '1' }, sentAt, 10_000, clocks, (why) => ends.push(why))
    await clock.advance(9_999)
    expect(term.isOver).toBe(false)
    await clock.advance(2)
    expect(term.signal.aborted).toBe(true)
    expect(ends).toHaveLength(1)
  })
})
