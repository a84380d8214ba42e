import { describe, expect, it } from 'vitest'
import { createControlBench } from '../../test/support/control-bench.ts'
import type { BudgetReading } from '../ports/budget.ts'
import { budgetLoop, createSharedBudget } from './index.ts'

const never = new AbortController().signal
const hourMs = 60 * 60_000

async function budgetBench() {
  const bench = await createControlBench()
  const budget = createSharedBudget({ ...bench, installation: 'sim' })
  const resetAt = bench.clock.now() + hourMs
  const reading = (remaining: number, over: Partial<BudgetReading> = {}): BudgetReading => ({
    limit: 5_000,
    remaining,
    resetAt,
    ...over,
  })
  const another = () => createSharedBudget({ ...bench, installation: 'sim' })
  const warnings = () => bench.log.lines.filter(({ level }) => level === 'warn')
  return { ...bench, bench, budget, reading, another, warnings }
}

describe('the budget', () => {
  it('admits every call while no reading is known', async () => {
    const { budget } = await budgetBench()
    expect(['resync', 'dispatch', 'recovery'].map((each) => budget.admit(each as 'resync').kind)).toEqual([
      'go',
      'go',
      'go',
    ])
    expect(budget.state()).toMatchObject({ pace: 'full', limit: null, left: null, resyncsFrom: null })
  })

  it.each([
    [2_500, 'full', 1],
    [2_499, 'slow', 3],
    [500, 'slow', 3],
    [499, 'stopped', 3],
  ] as const)('with %i of 5000 left resyncs are %s', async (remaining, pace, paceFactor) => {
    const { budget, reading } = await budgetBench()
    budget.note(reading(remaining))
    expect(budget.state()).toMatchObject({ pace, paceFactor })
    expect(budget.admit('resync').kind).toBe(pace === 'stopped' ? 'wait' : 'go')
    expect(budget.admit('dispatch').kind).toBe('go')
  })

  it('keeps the last part for recovery, and says how long other calls wait', async () => {
    const { budget, reading } = await budgetBench()
    budget.note(reading(100))
    expect(budget.admit('dispatch')).toMatchObject({ kind: 'wait', forMs: hourMs })
    expect(budget.admit('resync')).toMatchObject({ kind: 'wait', forMs: hourMs })
    expect(budget.admit('recovery').kind).toBe('go')
  })

  it('admits no call when nothing is left', async () => {
    const { budget, reading } = await budgetBench()
    budget.note(reading(0))
    expect(budget.admit('recovery')).toMatchObject({ kind: 'wait', forMs: hourMs })
  })

  it('subtracts the calls under way', async () => {
    const { budget, reading } = await budgetBench()
    budget.note(reading(102))
    expect([1, 2, 3].map(() => budget.admit('dispatch').kind)).toEqual(['go', 'go', 'wait'])
  })

  it('counts a call that was never answered only for a minute', async () => {
    const { budget, reading, advance } = await budgetBench()
    budget.note(reading(101))
    expect(budget.admit('dispatch').kind).toBe('go')
    expect(budget.admit('dispatch').kind).toBe('wait')
    await advance(60_001)
    expect(budget.admit('dispatch').kind).toBe('go')
  })

  it('keeps the lowest reading of a window, in whatever order the answers arrive', async () => {
    const { budget, reading } = await budgetBench()
    for (const remaining of [400, 450, 420]) budget.note(reading(remaining))
    budget.note(reading(4_000, { resetAt: reading(0).resetAt - 2 * hourMs }))
    expect(budget.state().left).toBe(400)
  })

  it('adopts a newer window', async () => {
    const { budget, reading } = await budgetBench()
    budget.note(reading(3))
    budget.note(reading(4_999, { resetAt: reading(0).resetAt + hourMs }))
    expect(budget.state()).toMatchObject({ left: 4_999, pace: 'full' })
  })

  it('forgets a reading when its window is over', async () => {
    const { budget, reading, advance } = await budgetBench()
    budget.note(reading(0))
    await advance(hourMs)
    expect(budget.admit('resync').kind).toBe('go')
    expect(budget.state()).toMatchObject({ limit: null, pace: 'full' })
  })

  it('holds a reading for some seconds although its window is over by our clock', async () => {
    const { budget, reading, clock, advance } = await budgetBench()
    budget.note(reading(0, { resetAt: clock.now() - 90_000 }))
    expect(budget.admit('recovery').kind).toBe('wait')
    await advance(5_000)
    expect(budget.admit('recovery').kind).toBe('go')
  })

  it.each([
    ['a reset in a thousand years', { resetAt: Date.UTC(3026, 0, 1) }, 2 * hourMs],
    ['a negative limit', { limit: -1 }, 0],
    ['no number', { remaining: Number.NaN }, 0],
  ] as const)('is not stopped for ever by %s', async (_, over, forMs) => {
    const { budget, reading } = await budgetBench()
    budget.note(reading(0, over))
    const admission = budget.admit('recovery')
    expect(admission.kind === 'wait' ? admission.forMs : 0).toBe(forMs)
  })

  it('admits no call during a pause that the forge asked for, not even for recovery', async () => {
    const { budget, advance } = await budgetBench()
    budget.pause(60_000, 'a secondary limit')
    expect(budget.admit('recovery')).toEqual({ kind: 'wait', forMs: 60_000, why: 'a secondary limit' })
    budget.pause(1_000, 'a shorter one')
    expect(budget.admit('recovery')).toMatchObject({ forMs: 60_000 })
    await advance(60_000)
    expect(budget.admit('recovery').kind).toBe('go')
  })

  it('logs each change of pace once', async () => {
    const { budget, reading, warnings, log } = await budgetBench()
    for (const remaining of [4_000, 2_000, 1_900, 1_800, 100, 90]) budget.note(reading(remaining))
    expect(warnings().map(({ fields }) => fields.to)).toEqual(['slow', 'stopped'])
    budget.note(reading(5_000, { resetAt: reading(0).resetAt + hourMs }))
    expect(log.lines.at(-1)?.fields).toMatchObject({ from: 'stopped', to: 'full' })
  })
})

describe('several processes', () => {
  it('share the remaining budget, and a pause', async () => {
    const { budget, reading, another } = await budgetBench()
    const other = another()
    budget.note(reading(100))
    budget.pause(30_000, 'a secondary limit')
    await budget.exchange()
    expect(other.admit('resync').kind).toBe('go')
    await other.exchange()
    expect(other.state()).toMatchObject({ left: 99, pace: 'stopped' })
    expect(other.admit('recovery')).toMatchObject({ kind: 'wait', forMs: 30_000 })
  })

  it('share the budget of an account although that of another fails, which is retried', async () => {
    const { bench, reading, another } = await budgetBench()
    let isPoisoned = true
    const noteBudget: typeof bench.ledger.noteBudget = (account, given) =>
      isPoisoned && account === 'sim poison'
        ? Promise.reject(new Error('a test'))
        : bench.ledger.noteBudget(account, given)
    const budget = createSharedBudget({
      ...bench,
      ledger: { ...bench.ledger, noteBudget },
      installation: 'sim',
    })
    budget.of('poison').note(reading(0))
    budget.of('good').note(reading(0))
    const loop = budgetLoop(budget)
    await expect(loop.pass(never)).rejects.toThrow('a test')
    const other = another()
    for (const account of ['poison', 'good']) other.of(account)
    await other.exchange()
    expect(other.of('good').admit('dispatch').kind).toBe('wait')
    expect(other.of('poison').admit('dispatch').kind).toBe('go')
    isPoisoned = false
    await loop.pass(never)
    await other.exchange()
    expect(other.of('poison').admit('dispatch').kind).toBe('wait')
  })

  it('write only new readings', async () => {
    const { bench, reading } = await budgetBench()
    let writes = 0
    const ledger = {
      ...bench.ledger,
      noteBudget: (installation: string, given: BudgetReading) => {
        writes += 1
        return bench.ledger.noteBudget(installation, given)
      },
    }
    const budget = createSharedBudget({ ...bench, ledger, installation: 'sim' })
    const loop = budgetLoop(budget)
    budget.note(reading(100))
    for (let turn = 0; turn < 3; turn += 1) await loop.pass(never)
    expect(writes).toBe(1)
  })

  it('are notified when the pace changes, and not by every answer', async () => {
    const { budget, reading } = await budgetBench()
    let rings = 0
    budgetLoop(budget).subscribe?.(() => {
      rings += 1
    })
    for (const remaining of [5_000, 4_999, 4_998]) budget.note(reading(remaining))
    expect(rings).toBe(0)
    budget.note(reading(100))
    expect(rings).toBe(1)
  })
})

describe('accounts with limits of their own', () => {
  it('stop one without stopping the other; the tightest one is shown', async () => {
    const { budget, reading } = await budgetBench()
    budget.of('installation 1').note(reading(0))
    budget.of('installation 2').note(reading(4_900))
    expect(budget.of('installation 1').admit('dispatch').kind).toBe('wait')
    expect(budget.of('installation 2').admit('dispatch').kind).toBe('go')
    expect(budget.state()).toMatchObject({ pace: 'stopped', left: 0 })
  })

  it('are kept apart where the window of one ends later', async () => {
    const { budget, reading } = await budgetBench()
    const one = budget.of('installation 1')
    one.note(reading(10))
    budget.of('installation 2').note(reading(5_000, { resetAt: reading(0).resetAt + hourMs }))
    expect(one.admit('dispatch').kind).toBe('wait')
  })

  it('are shared with the other processes, each by its name', async () => {
    const { budget, reading, another } = await budgetBench()
    const there = another()
    there.of('installation 1') // known there since its first call
    there.of('installation 2')
    budget.of('installation 1').note(reading(0))
    await budget.exchange()
    await there.exchange()
    expect(there.of('installation 1').admit('recovery').kind).toBe('wait')
    expect(there.of('installation 2').admit('recovery').kind).toBe('go')
  })
})
