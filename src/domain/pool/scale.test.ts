import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planScale } from './index.ts'

const none = { queued: 0, dispatchable: 0, idle: 0, occupied: 0, warm: 0, maxRunners: 10, roomMore: null }

describe('planScale', () => {
  it('starts a runner for each job that waits, and the warm ones', () => {
    expect(planScale({ ...none, queued: 3, dispatchable: 3, warm: 2, idle: 1 })).toEqual({
      desired: 5,
      start: 4,
      surplus: 0,
    })
  })

  it('starts none where enough are idle', () => {
    expect(planScale({ ...none, queued: 2, dispatchable: 2, idle: 2 })).toMatchObject({
      start: 0,
      surplus: 0,
    })
  })

  it('finds runners without demand', () => {
    expect(planScale({ ...none, warm: 1, idle: 4 })).toEqual({ desired: 1, start: 0, surplus: 3 })
  })

  it('keeps one for work that is withheld, and not one for each', () => {
    expect(planScale({ ...none, queued: 7 })).toMatchObject({ start: 1 })
    expect(planScale({ ...none, queued: 7, idle: 1 })).toMatchObject({ start: 0, surplus: 0 })
  })

  it('keeps no other for withheld work where a runner waits already', () => {
    expect(planScale({ ...none, queued: 7, warm: 2, idle: 2 })).toMatchObject({ start: 0, surplus: 0 })
    expect(planScale({ ...none, queued: 7, dispatchable: 1 })).toMatchObject({ start: 1 })
  })

  it('starts no more than the host has room for, and takes none away for that', () => {
    const need = { ...none, queued: 9, dispatchable: 9, idle: 2 }
    expect(planScale({ ...need, roomMore: 3 })).toEqual({ desired: 5, start: 3, surplus: 0 })
    expect(planScale({ ...need, roomMore: 0 })).toEqual({ desired: 2, start: 0, surplus: 0 })
  })

  it('never plans more runners than the pool may have and the host can hold', () => {
    const count = fc.nat(20)
    const need = fc.record({
      queued: count,
      dispatchable: count,
      idle: count,
      occupied: count,
      warm: count,
      maxRunners: count,
      roomMore: fc.option(count),
    })
    fc.assert(
      fc.property(need, (pool) => {
        const { desired, start, surplus } = planScale(pool)
        expect(start === 0 || surplus === 0).toBe(true)
        if (start > 0) expect(pool.occupied + pool.idle + start).toBeLessThanOrEqual(pool.maxRunners)
        expect(start).toBeLessThanOrEqual(pool.roomMore ?? start)
        expect(surplus).toBeLessThanOrEqual(pool.idle)
        expect(desired).toBe(pool.occupied + pool.idle + start - surplus)
      }),
    )
  })

  it('has nothing to do after its own plan was applied', () => {
    const count = fc.nat(20)
    const need = fc.record({
      dispatchable: count,
      idle: count,
      occupied: count,
      warm: count,
      maxRunners: count,
    })
    fc.assert(
      fc.property(need, (given) => {
        const pool = { ...given, queued: given.dispatchable, roomMore: null }
        const { start, surplus } = planScale(pool)
        const after = planScale({ ...pool, idle: pool.idle + start - surplus })
        expect(after).toMatchObject({ start: 0, surplus: 0 })
      }),
    )
  })
})
