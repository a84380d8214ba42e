import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anAttempt, now } from '../../../test/support/rows.ts'
import { isRefusal } from '../machine/index.ts'
import {
  type Attempt,
  type AttemptTransition,
  attemptMoves,
  attemptStates,
  mintName,
  runnerNameLengthMax,
  runnerNameOf,
  transitionAttempt,
} from './index.ts'

const endKinds = [
  'mintFailed',
  'claimExpired',
  'neverRegistered',
  'finished',
  'runnerGone',
  'takenElsewhere',
  'retired',
] as const
const deadlineMs = fc.nat()
const anyEvent: fc.Arbitrary<AttemptTransition> = fc.oneof(
  fc.record({ kind: fc.constant('minted' as const), forgeRunnerId: fc.nat(), deadlineMs }),
  fc.record({ kind: fc.constantFrom('delivered', 'registered'), deadlineMs }),
  fc.constant<AttemptTransition>({ kind: 'acknowledged' }),
  fc.record({ kind: fc.constant('started' as const), checkInMs: fc.nat() }),
  fc.record({ kind: fc.constantFrom(...endKinds), evidenceId: fc.option(fc.nat(), { nil: null }) }),
)

describe('transitionAttempt', () => {
  it('never leaves the table, whatever the events', () => {
    follow((attempt, event, after) => {
      if (after === null) return
      expect(after.state).toBe((attemptMoves[attempt.state] as Record<string, string>)[event.kind])
    })
  })

  it('never moves backwards, and never stands still', () => {
    follow((attempt, _, after) => {
      if (after === null) return
      expect(attemptStates.indexOf(after.state)).toBeGreaterThan(attemptStates.indexOf(attempt.state))
    })
  })

  it('takes nothing any more once it has ended', () => {
    follow((attempt, _, after) => {
      if (attempt.state === 'ended') expect(after).toBeNull()
    })
  })

  it('never ends without evidence once it was delivered (I3)', () => {
    follow((_, __, after) => {
      if (after?.state === 'ended' && after.deliveredAt !== null) expect(after.evidenceId).not.toBeNull()
    })
  })

  it('keeps the invariants of every row of an attempt', () => {
    follow((_, __, after) => {
      if (after === null) return
      expect(after.state === 'ended').toBe(after.endedAt !== null)
      expect(after.endedAt === null).toBe(after.endReason === null)
      if (after.state === 'running') expect([after.deliveredAt, after.registeredAt]).not.toContain(null)
    })
  })

  const delivered = ['delivered', 'acknowledged', 'registered', 'running'] as const
  it.each(delivered)('refuses to end without evidence while it is %s, and says why', (state) => {
    const attempt = anAttempt({ state, deliveredAt: now - 10 })
    expect(transitionAttempt(attempt, { kind: 'runnerGone', evidenceId: null }, now)).toEqual({
      refused: 'evidence-required',
      state,
      event: 'runnerGone',
    })
    expect(transitionAttempt(attempt, { kind: 'runnerGone', evidenceId: 9 }, now)).toMatchObject({
      state: 'ended',
      endReason: 'runner-gone',
      evidenceId: 9,
      endedAt: now,
    })
  })

  it.each(['claimed', 'minted'] as const)('ends without evidence while it is %s', (state) => {
    const event = { kind: 'claimExpired', evidenceId: null } as const
    expect(transitionAttempt(anAttempt({ state }), event, now)).toMatchObject({ state: 'ended' })
  })

  it('takes a start that the forge reports for a minted attempt, and counts it as delivered', () => {
    const started = transitionAttempt(anAttempt({ state: 'minted' }), { kind: 'started', checkInMs: 5 }, now)
    expect(started).toMatchObject({ state: 'running', deliveredAt: now, registeredAt: now, checkAt: now + 5 })
  })

  it('refuses the acknowledgement of a runner that has registered as late', () => {
    const attempt = anAttempt({ state: 'registered', deliveredAt: now })
    expect(transitionAttempt(attempt, { kind: 'acknowledged' }, now)).toMatchObject({ refused: 'late' })
  })
})

describe('mintName', () => {
  it('is never longer than forges accept, and differs for each handle', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), fc.uuid(), fc.uuid(), (runner, one, two) => {
        expect(mintName(runner, one).length).toBeLessThanOrEqual(runnerNameLengthMax)
        if (one.slice(0, 8) !== two.slice(0, 8)) expect(mintName(runner, one)).not.toBe(mintName(runner, two))
      }),
    )
  })
})

describe('runnerNameOf', () => {
  it('gives back the name of the runner under which it was minted', () => {
    const pool = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/)
    fc.assert(
      fc.property(pool, fc.stringMatching(/^[0-9a-f]{8}$/), fc.uuid(), (name, digits, handle) => {
        expect(runnerNameOf(mintName(`${name}-${digits}`, handle))).toBe(`${name}-${digits}`)
      }),
    )
  })

  it.each(['linux-bb9db0dd', 'GitHub Actions 12', 'my-set-abcde-runner-x7k2p', 'host-0a5451b4', ''])(
    'leaves %j as it is, which is no name of a registration of ours',
    (name) => {
      expect(runnerNameOf(name)).toBe(name)
    },
  )
})

function follow(check: (attempt: Attempt, event: AttemptTransition, after: Attempt | null) => void): void {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
      let attempt = anAttempt()
      for (const event of events) {
        const result = transitionAttempt(attempt, event, now)
        check(attempt, event, isRefusal(result) ? null : result)
        if (!isRefusal(result)) attempt = result
      }
    }),
    { numRuns: 500 },
  )
}
