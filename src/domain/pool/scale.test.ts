import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planScale } from './index.ts'

const none = { dispatchable: 0, idle: 0, occupied: 0, minWarm: 0, maxRunners: 10 }

describe('planScale', () => {
  it('starts a runner for each job that waits, and the warm ones', () => {
    expect(planScale({ ...none, dispatchable: 3, minWarm: 2, idle: 1 })).toEqual({ start: 4, surplus: 0 })
  })

  it('starts none where enough are idle', () => {
    expect(planScale({ ...none, dispatchable: 2, idle: 2 })).toEqual({ start: 0, surplus: 0 })
  })

  it('finds those that nobody needs', () => {
    expect(planScale({ ...none, minWarm: 1, idle: 4 })).toEqual({ start: 0, surplus: 3 })
  })

  it('never plans more runners than the pool may have', () => {
    const count = fc.nat(20)
    const need = fc.record({
      dispatchable: count,
      idle: count,
      occupied: count,
      minWarm: count,
      maxRunners: count,
    })
    fc.assert(
      fc.property(need, (pool) => {
        const { start, surplus } = planScale(pool)
        expect(start === 0 || surplus === 0).toBe(true)
        if (start > 0) expect(pool.occupied + pool.idle + start).toBeLessThanOrEqual(pool.maxRunners)
        expect(surplus).toBeLessThanOrEqual(pool.idle)
      }),
    )
  })
})
