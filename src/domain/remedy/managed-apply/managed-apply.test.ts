import { describe, expect, it } from 'vitest'
import {
  type ApplyEvent,
  type ApplyState,
  applyAfter,
  applyMoves,
  applyStates,
  commandSummary,
  frozenCaps,
  isApplyEnded,
  isApplyRefusal,
  restoredCaps,
} from './index.ts'

const events: readonly ApplyEvent[] = ['pass', 'fail', 'stop', 'escalate']

/** Every way from a state to an end, as the states on it. */
function waysFrom(state: ApplyState): readonly (readonly ApplyState[])[] {
  if (isApplyEnded(state)) return [[state]]
  const next = [...new Set(Object.values(applyMoves[state]) as ApplyState[])]
  return next.flatMap((to) => waysFrom(to).map((way) => [state, ...way]))
}

describe('the machine of a managed apply', () => {
  it('goes through its eight steps in their order', () => {
    let state: ApplyState = 'canary'
    const way: ApplyState[] = [state]
    while (!isApplyEnded(state)) {
      const next = applyAfter(state, 'pass')
      if (isApplyRefusal(next)) throw new Error('refused')
      state = next as ApplyState
      way.push(state)
    }
    expect(way).toEqual([...applyStates.slice(0, 8), 'done'])
  })

  it('comes from a freeze to no end but through a step that gives the caps back', () => {
    const ways = waysFrom('cap-freeze')
    expect(ways.length).toBeGreaterThan(4)
    for (const way of ways)
      expect(way.some((state) => state === 'cap-restore' || state === 'roll-back')).toBe(true)
  })

  it('runs the command after a freeze and after nothing else', () => {
    const before = applyStates.filter((state) => Object.values(applyMoves[state]).includes('apply' as never))
    expect(before).toEqual(['cap-freeze'])
  })

  it('can be stopped in every step before its end, and leaves no end', () => {
    for (const state of applyStates) {
      const isRefused = isApplyRefusal(applyAfter(state, 'stop'))
      expect(isRefused).toBe(isApplyEnded(state) || state === 'roll-back')
      if (isApplyEnded(state))
        for (const event of events) expect(isApplyRefusal(applyAfter(state, event))).toBe(true)
    }
  })
})

describe('caps', () => {
  const recorded = { minRunners: 2, maxRunners: 10 }

  it('of a frozen set start no runner, and keep its listener able to start', () => {
    for (const each of [recorded, { minRunners: null, maxRunners: null }, { minRunners: 0, maxRunners: 0 }]) {
      const { minRunners, maxRunners } = frozenCaps(each)
      for (const assigned of [0, 1, 100])
        expect(Math.min((minRunners ?? 0) + assigned, maxRunners ?? Number.POSITIVE_INFINITY)).toBe(0)
      expect(minRunners ?? 0).toBeLessThanOrEqual(maxRunners ?? 0)
    }
  })

  it.each([
    ['both frozen', { minRunners: 0, maxRunners: 0 }, recorded],
    ['a new maximum', { minRunners: 0, maxRunners: 20 }, { minRunners: 2, maxRunners: 20 }],
    ['no maximum any more', { minRunners: 0, maxRunners: null }, { minRunners: 2, maxRunners: null }],
    ['a new minimum', { minRunners: 1, maxRunners: 0 }, { minRunners: 1, maxRunners: 10 }],
    ['a maximum below the old minimum', { minRunners: 0, maxRunners: 1 }, { minRunners: 0, maxRunners: 1 }],
    ['nothing frozen', recorded, recorded],
  ])('are given back field by field: %s', (_, current, expected) => {
    expect(restoredCaps(recorded, current, false)).toEqual(expected)
    expect(restoredCaps(recorded, current, true)).toEqual(current)
  })
})

describe('the summary of a command', () => {
  it.each([
    [['helm', 'upgrade', 'linux', '--set', 'password=hunter2'], 'helm upgrade (4 arguments)'],
    [['/usr/bin/kubectl', '--token=abc', 'apply'], 'kubectl (2 arguments)'],
    [['./deploy.sh', 'hunter2'], 'deploy.sh (1 argument)'],
    [['true'], 'true (0 arguments)'],
  ])('of %j has no argument that may be a secret', (argv, expected) => {
    expect(commandSummary(argv)).toBe(expected)
  })
})
