import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aRunner, now } from '../../../test/support/rows.ts'
import { isRefusal } from '../machine/index.ts'
import {
  isLive,
  type Runner,
  type RunnerTransition,
  runnerMoves,
  runnerStates,
  transitionRunner,
} from './index.ts'

const reason = fc.string()
const anyEvent: fc.Arbitrary<RunnerTransition> = fc.oneof(
  fc.constantFrom<RunnerTransition>(
    { kind: 'polled' },
    { kind: 'claimed' },
    { kind: 'released' },
    { kind: 'started' },
  ),
  fc.record({ kind: fc.constant('fenced' as const), reason }),
  fc.record({ kind: fc.constant('gone' as const), evidenceId: fc.nat(), reason }),
)

describe('transitionRunner', () => {
  it('never leaves the table, whatever the events', () => {
    follow((runner, event, after) => {
      const allowed = (runnerMoves[runner.state] as Record<string, string>)[event.kind]
      expect(after === null ? undefined : after.state).toBe(allowed)
    })
  })

  it('moves backwards only when its attempt came to nothing, or when a fenced one works all the same', () => {
    follow((runner, event, after) => {
      if (after === null || runnerStates.indexOf(after.state) >= runnerStates.indexOf(runner.state)) return
      expect([`${runner.state} ${event.kind}`]).toContainEqual(
        expect.stringMatching(/^(claimed released|fenced started)$/),
      )
    })
  })

  it('is never given a job again once it was fenced', () => {
    follow((runner, _, after) => {
      if (runner.fencedAt !== null && after !== null)
        expect(['polling', 'claimed']).not.toContain(after.state)
    })
  })

  it('takes nothing any more once it has ended', () => {
    follow((runner, _, after) => {
      if (!isLive(runner)) expect(after).toBeNull()
    })
  })

  it('never ends without its death record (I5)', () => {
    follow((_, __, after) => {
      if (after === null) return
      expect(isLive(after)).toBe(after.endedAt === null)
      if (after.endedAt !== null) expect(after.evidenceId).not.toBeNull()
    })
  })

  it('calls a fenced runner that went away removed, and another one ended', () => {
    const gone = { kind: 'gone', evidenceId: 4, reason: 'drained' } as const
    expect(transitionRunner(aRunner({ state: 'fenced' }), gone, now)).toMatchObject({ state: 'removed' })
    expect(transitionRunner(aRunner({ state: 'busy' }), gone, now)).toMatchObject({ state: 'ended' })
  })

  it('does not fence a runner that works', () => {
    const event = { kind: 'fenced', reason: 'drained' } as const
    expect(isRefusal(transitionRunner(aRunner({ state: 'busy' }), event, now))).toBe(true)
  })
})

function follow(check: (runner: Runner, event: RunnerTransition, after: Runner | null) => void): void {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      let runner = aRunner({ state: 'booting', polledAt: null })
      for (const event of events) {
        const result = transitionRunner(runner, event, now)
        check(runner, event, isRefusal(result) ? null : result)
        if (!isRefusal(result)) runner = result
      }
    }),
    { numRuns: 300 },
  )
}
