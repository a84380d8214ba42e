import { describe, expect, it } from 'vitest'
import { aRunner, now } from '../../../test/support/rows.ts'
import { hostedRunning } from '../../../test/support/views.ts'
import { decideStray, type Stray, strayGraceMs, strayShownAfterMs } from './index.ts'

const minuteMs = 60_000
const ended = aRunner({ state: 'ended', evidenceId: 1 })
const stop = { kind: 'stop', rule: 'orphaned-stamped-pod', reason: expect.any(String) }
const abandon = { kind: 'abandon', rule: 'orphaned-stamped-pod', reason: expect.any(String) }
const leave = (why: RegExp) => ({ kind: 'leave', why: expect.stringMatching(why) })

function stray(over: Partial<Stray['hosted']>, ageMinutes = 600): Stray {
  return { hosted: hostedRunning(over), runner: ended, straySince: now - ageMinutes * minuteMs }
}

/** The shapes of docs/incidents/live-runner-removed.md. A pod without container statuses yet is one whose program waits. */
const shapes: readonly [string, Stray, object][] = [
  ['runs', stray({ program: 'started' }), leave(/started/)],
  ['waits since before the grace', stray({ program: 'waiting' }, 6), stop],
  ['has no container statuses, older than the grace', stray({ program: 'waiting', node: null }, 6), stop],
  ['waits and is new', stray({ program: 'waiting' }, 4), leave(/too new/)],
  ['is the single shape, however old', stray({ program: 'unknown' }), leave(/cannot be seen/)],
  ['is leaving', stray({ program: 'waiting', leavingSince: now - minuteMs }), leave(/leaving/)],
]

describe('orphaned-stamped-pod (docs/incidents/live-runner-removed.md)', () => {
  it.each(shapes)('a pod that nobody counts on and that %s', (_shape, pod, expected) => {
    expect(decideStray(pod, now)).toMatchObject(expected)
  })

  it.each(shapes)('the same where the ledger never knew it: %s', (_shape, pod, expected) => {
    expect(decideStray({ ...pod, runner: null }, now)).toMatchObject(expected)
  })

  it('of a mixed batch stops only the one that waits', () => {
    const batch = [
      stray({ program: 'started' }),
      stray({ program: 'waiting' }),
      stray({ program: 'unknown' }),
      { ...stray({ program: 'waiting' }), runner: aRunner({ state: 'booting' }) },
    ]
    expect(batch.map((pod) => decideStray(pod, now).kind)).toEqual(['leave', 'stop', 'leave', 'known'])
  })

  it('says when it wants to look again', () => {
    const inMs = strayGraceMs - 4 * minuteMs
    expect(decideStray(stray({ program: 'waiting' }, 4), now)).toMatchObject({ againInMs: inMs })
  })

  it.each(['started', 'unknown'] as const)(
    'is shown after a long time where its program is %s',
    (program) => {
      const age = (ms: number) => ({ ...stray({ program }), straySince: now - ms })
      expect(decideStray(age(strayShownAfterMs - 1), now)).toMatchObject({ isShown: false, againInMs: 1 })
      expect(decideStray(age(strayShownAfterMs), now)).toMatchObject({ isShown: true, againInMs: null })
    },
  )

  it('waits for the grace period that it is given', () => {
    const pod = stray({ program: 'waiting' }, 4)
    expect(decideStray(pod, now, 4 * minuteMs)).toEqual(stop)
    expect(decideStray(pod, now, 4 * minuteMs + 1)).toMatchObject({ kind: 'leave', againInMs: 1 })
  })

  it('gives up one that was to go from a node that went silent, but not before the node had its time', () => {
    const since = (ageMinutes: number) => now - ageMinutes * minuteMs
    const on = (silent: number) =>
      stray({ program: 'started', leavingSince: since(20), silentSince: since(silent) })
    expect(decideStray(on(5), now)).toEqual(abandon)
    expect(decideStray(on(4), now)).toMatchObject(leave(/may come back/))
  })

  it('does not give up one on a silent node that nobody wants to go', () => {
    const pod = stray({ program: 'started', silentSince: now - 60 * minuteMs })
    expect(decideStray(pod, now)).toMatchObject(leave(/started/))
  })
})
