import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDelayQueue } from './delay-queue.ts'

describe('names in a delay queue', () => {
  it('are taken once they are due, the longest due first, up to a limit', () => {
    const queue = createDelayQueue()
    queue.add('late', 30)
    queue.add('second', 20)
    queue.add('first', 10)
    queue.add('also second', 20)
    expect(queue.nextAt()).toBe(10)
    expect(queue.take(9, 10)).toEqual([])
    expect(queue.take(20, 2)).toEqual(['first', 'second'])
    expect(queue.take(20, 10)).toEqual(['also second'])
    expect(queue.nextAt()).toBe(30)
  })

  it('keep the sooner time when they are added again, and get the later one when they are moved', () => {
    const queue = createDelayQueue()
    queue.add('a', 10)
    queue.add('a', 20)
    expect(queue.nextAt()).toBe(10)
    queue.move('a', 30)
    expect(queue.take(29, 10)).toEqual([])
    expect(queue.take(30, 10)).toEqual(['a'])
    expect(queue.nextAt()).toBeNull()
  })

  it('match a plain table after any sequence of operations', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const at = fc.integer({ min: 0, max: 20 })
    const act = fc.oneof(
      fc.tuple(fc.constant('add' as const), name, at),
      fc.tuple(fc.constant('move' as const), name, at),
      fc.tuple(fc.constant('delete' as const), name, at),
      fc.tuple(fc.constant('take' as const), name, at),
      fc.tuple(fc.constant('moveAll' as const), name, at),
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 400 }), (acts) => {
        const queue = createDelayQueue()
        const table = new Map<string, number>()
        for (const [kind, who, when] of acts) {
          if (kind === 'add') {
            queue.add(who, when)
            table.set(who, Math.min(when, table.get(who) ?? when))
          } else if (kind === 'move') {
            queue.move(who, when)
            table.set(who, when)
          } else if (kind === 'delete') {
            queue.delete(who)
            table.delete(who)
          } else if (kind === 'moveAll') {
            queue.moveAll(when)
            for (const each of table.keys()) table.set(each, when)
          } else {
            const ready = [...table].filter(([, time]) => time <= when).map(([each]) => each)
            expect(queue.take(when, 10).sort()).toEqual(ready.sort())
            for (const each of ready) table.delete(each)
          }
          expect(queue.nextAt()).toBe(table.size === 0 ? null : Math.min(...table.values()))
        }
      }),
    )
  })
})
