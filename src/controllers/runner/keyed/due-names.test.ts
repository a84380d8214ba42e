import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDueNames } from './due-names.ts'

describe('names that are due', () => {
  it('are taken when their time has come, the longest due first, and at most so many', () => {
    const due = createDueNames()
    due.add('late', 30)
    due.add('second', 20)
    due.add('first', 10)
    due.add('also second', 20)
    expect(due.nextAt()).toBe(10)
    expect(due.take(9, 10)).toEqual([])
    expect(due.take(20, 2)).toEqual(['first', 'second'])
    expect(due.take(20, 10)).toEqual(['also second'])
    expect(due.nextAt()).toBe(30)
  })

  it('keep the sooner time where they are added again, and take a later one where they are moved', () => {
    const due = createDueNames()
    due.add('a', 10)
    due.add('a', 20)
    expect(due.nextAt()).toBe(10)
    due.move('a', 30)
    expect(due.take(29, 10)).toEqual([])
    expect(due.take(30, 10)).toEqual(['a'])
    expect(due.nextAt()).toBeNull()
  })

  it('are as a plain table says, whatever is done to them', () => {
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
        const due = createDueNames()
        const table = new Map<string, number>()
        for (const [kind, who, when] of acts) {
          if (kind === 'add') {
            due.add(who, when)
            table.set(who, Math.min(when, table.get(who) ?? when))
          } else if (kind === 'move') {
            due.move(who, when)
            table.set(who, when)
          } else if (kind === 'delete') {
            due.delete(who)
            table.delete(who)
          } else if (kind === 'moveAll') {
            due.moveAll(when)
            for (const each of table.keys()) table.set(each, when)
          } else {
            const ready = [...table].filter(([, time]) => time <= when).map(([each]) => each)
            expect(due.take(when, 10).sort()).toEqual(ready.sort())
            for (const each of ready) table.delete(each)
          }
          expect(due.nextAt()).toBe(table.size === 0 ? null : Math.min(...table.values()))
        }
      }),
    )
  })
})
