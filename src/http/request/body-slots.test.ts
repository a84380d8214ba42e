import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../platform/lifecycle/fakes.ts'
import { createBodySlots } from './body-slots.ts'

const slotsOf = (bytesMax: number) => {
  const clock = new ManualClock()
  return { clock, slots: createBodySlots({ bytesMax, deadlineMs: 5_000, clock }) }
}

describe('slots for bodies', () => {
  it('are given to every sender: the one that holds the most loses its oldest', () => {
    const { slots } = slotsOf(30)
    const [first, second] = [slots.take('greedy', 10), slots.take('greedy', 10)]
    const modest = slots.take('modest', 10)
    const late = slots.take('late', 10)
    expect([first, second, modest, late].map(({ signal }) => signal.aborted)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('go by what bodies announce, not by how many there are', () => {
    const { slots } = slotsOf(1_000)
    const large = slots.take('one', 900)
    const small = Array.from({ length: 20 }, () => slots.take('many', 10))
    expect([large, ...small].map(({ signal }) => signal.aborted)).toEqual([true, ...small.map(() => false)])
  })

  it('take nothing from anybody while one is free', () => {
    const { slots } = slotsOf(20)
    const first = slots.take('a', 10)
    slots.take('a', 10).release()
    slots.take('b', 10).release()
    expect(first.signal.aborted).toBe(false)
  })

  it('are lost at the deadline, and not where the body came', async () => {
    const { clock, slots } = slotsOf(20)
    const [slow, quick] = [slots.take('a', 10), slots.take('a', 10)]
    quick.release()
    await clock.advance(5_000)
    expect([slow.signal.aborted, quick.signal.aborted]).toEqual([true, false])
  })
})
