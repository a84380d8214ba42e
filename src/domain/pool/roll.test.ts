import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planRoll } from './index.ts'

const need = { oldPolling: 8, idle: 8, booting: 0, leaving: 0, missing: 0, maxConcurrentPercent: 25 }

describe('planRoll', () => {
  it('lets a share of the idle ones go', () => {
    expect(planRoll(need)).toBe(2)
  })

  it('lets at least one go, however few there are', () => {
    expect(planRoll({ ...need, oldPolling: 1, idle: 1 })).toBe(1)
  })

  it('waits for those that are not ready yet, not gone yet, or not begun yet', () => {
    expect(planRoll({ ...need, booting: 1 })).toBe(1)
    expect(planRoll({ ...need, booting: 1, leaving: 1 })).toBe(0)
    expect(planRoll({ ...need, missing: 2 })).toBe(0)
  })

  const pools = fc.record({
    runners: fc.integer({ min: 1, max: 30 }),
    percent: fc.integer({ min: 1, max: 100 }),
  })

  it('replaces all of them, and never has more than its share under way', () => {
    fc.assert(
      fc.property(pools, fc.infiniteStream(fc.boolean()), ({ runners, percent }, chance) => {
        const share = Math.max(1, Math.floor((runners * percent) / 100))
        let pool = { old: runners, fresh: 0, booting: 0, leaving: 0 }
        for (let step = 0; pool.old > 0 || pool.booting > 0 || pool.leaving > 0; step += 1) {
          expect(step).toBeLessThan(1_000)
          const idle = pool.old + pool.fresh + pool.booting
          const going = planRoll({
            oldPolling: pool.old,
            idle,
            booting: pool.booting,
            leaving: pool.leaving,
            missing: runners - idle - pool.leaving,
            maxConcurrentPercent: percent,
          })
          pool = { ...pool, old: pool.old - going, leaving: pool.leaving + going }
          expect(runners - pool.old - pool.fresh).toBeLessThanOrEqual(share)
          if (pool.leaving > 0 && flip(chance))
            pool = { ...pool, leaving: 0, booting: pool.booting + pool.leaving }
          else if (flip(chance)) pool = { ...pool, booting: 0, fresh: pool.fresh + pool.booting }
        }
        expect(pool.fresh).toBe(runners)
      }),
    )
  })

  it('leaves the old ones where the new ones never get ready', () => {
    let pool = { old: 8, booting: 0 }
    for (let step = 0; step < 50; step += 1) {
      const going = planRoll({
        ...need,
        oldPolling: pool.old,
        idle: pool.old + pool.booting,
        booting: pool.booting,
      })
      pool = { old: pool.old - going, booting: pool.booting + going }
    }
    expect(pool).toEqual({ old: 6, booting: 2 })
  })
})

const flip = (chance: fc.Stream<boolean>) => chance.next().value as boolean
