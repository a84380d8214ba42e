import { describe, expect, it } from 'vitest'
import { aJob, anAttempt, now } from '../../../../test/support/rows.ts'
import {
  absent,
  busy,
  facts,
  gone,
  hostedRunning,
  idle,
  left,
  offline,
  type Read,
  runnerSubject,
  says,
} from '../../../../test/support/views.ts'
import { decide, type Subject } from '../index.ts'

const minuteMs = 60_000
const attempt = anAttempt({ state: 'running', deliveredAt: now - 3_600_000 })
const last = { attempt, job: aJob({ state: 'running', executor: attempt.forgeRunnerName }) }
const working = runnerSubject({ state: 'busy' }, { last, hasOpenAttempt: true })
const fenced = runnerSubject({ state: 'fenced', fencedAt: now - 3_600_000 })
const lookAgain = [{ kind: 'look-again', inMs: expect.any(Number) }]

function decided(subject: Subject, read: Read) {
  const decision = decide({ subject, facts: facts(read) }, now)
  return decision.kind === 'act' ? { rule: decision.rule, actions: decision.actions } : decision
}

const cases = [
  {
    rule: 'node-lost',
    death: 'node-lost',
    odd: (ageMs: number) => hostedRunning({ program: 'started', node: 'n1', silentSince: now - ageMs }),
    afterMs: 5 * minuteMs,
  },
  {
    rule: 'stuck-terminating',
    death: 'unknown',
    odd: (ageMs: number) => hostedRunning({ program: 'started', node: 'n1', leavingSince: now - ageMs }),
    afterMs: 15 * minuteMs,
  },
]

describe.each(cases)('$rule', ({ rule, death, odd, afterMs }) => {
  const hosted = odd(afterMs)
  // Since when its node is silent decides about a job that the forge ends by itself.
  const silence = { lastHeardAt: now - afterMs, wasRegistered: expect.any(Boolean) }
  const loss = { class: death, because: expect.any(Array), ...(rule === 'node-lost' && { silence }) }
  const seal = { kind: 'seal-lost', runnerId: 1, loss }
  const abandon = { kind: 'abandon', runnerName: 'linux-1' }

  it('seals what is known and gives the runner up where the forge does not know it any more', () => {
    const read = { hosted, forgeJob: says('queued'), forgeRunner: absent }
    expect(decided(working, read)).toEqual({ rule, actions: [seal, abandon] })
  })

  it('takes the registration away first where the forge says that it is offline and not busy', () => {
    const forgeJob = says('in_progress', { runnerName: attempt.forgeRunnerName })
    const decision = decided(working, { hosted, forgeJob, forgeRunner: offline })
    expect(decision).toMatchObject({ rule, actions: [{ kind: 'remove-registration' }, seal, abandon] })
  })

  it.each([
    ['busy', busy],
    ['online', idle],
  ])('does not touch a runner that the forge says is %s: its job may finish (I4)', (_word, forgeRunner) => {
    const read = { hosted, forgeJob: says('in_progress'), forgeRunner }
    expect(decided(working, read)).toEqual({ rule, actions: lookAgain })
  })

  it('applies first that the job is over', () => {
    const read = { hosted, forgeJob: says('completed'), forgeRunner: absent }
    expect(decided(working, read)).toMatchObject({ rule, actions: [{ kind: 'hear' }] })
  })

  it('gives up a fenced runner that never had a job', () => {
    const read = { hosted, forgeJob: gone, forgeRunner: absent }
    expect(decided(fenced, read)).toEqual({ rule, actions: [seal, abandon] })
  })

  it.each([true, null])(
    'does not give up one of which no attempt is found and which may have had one (%s)',
    (everClaimed) => {
      const subject = runnerSubject({ state: 'fenced', fencedAt: now - 3_600_000, everClaimed })
      const read = { hosted, forgeJob: gone, forgeRunner: absent }
      expect(decided(subject, read)).toEqual({ rule, actions: lookAgain })
    },
  )

  it('asks nothing and does nothing before its time', () => {
    expect(decided(working, { hosted: odd(afterMs - 1) })).toEqual(left('attempt-decides'))
  })

  it('does not give up an idle runner before it is fenced: it may be given a job', () => {
    const polling = runnerSubject({ state: 'polling', polledAt: now })
    expect(decided(polling, { hosted })).toEqual(left('asks-for-work'))
  })
})

describe('stuck-start', () => {
  const unheard = runnerSubject({ state: 'fenced', polledAt: null, fencedAt: now - 3_600_000 })
  const odd = (over: Parameters<typeof hostedRunning>[0] = {}) => ({
    hosted: hostedRunning({ program: 'waiting', node: 'n1', leavingSince: now - 5 * minuteMs, ...over }),
  })

  it('gives up a runner that never asked for work and that its node does not drop, without asking the forge', () => {
    expect(decided(unheard, odd())).toEqual({
      rule: 'stuck-start',
      actions: [
        {
          kind: 'seal-lost',
          runnerId: 1,
          loss: { class: 'never-started', because: expect.arrayContaining([expect.stringMatching(/n1/)]) },
        },
        { kind: 'abandon', runnerName: 'linux-1' },
      ],
    })
  })

  it.each([
    ['was asked to stop just now', unheard, odd({ leavingSince: now - 5 * minuteMs + 1 })],
    ['nobody wants to go', unheard, odd({ leavingSince: null })],
    ['has begun its program', unheard, odd({ program: 'started' })],
    ['may have begun it, as far as can be seen', unheard, odd({ program: 'unknown' })],
    ['is on a silent node', unheard, odd({ silentSince: now - 1 })],
    ['has asked for work', runnerSubject({ state: 'fenced', polledAt: now - 1 }), odd()],
    ['is not fenced', runnerSubject({ state: 'booting', polledAt: null, checkAt: now + 1 }), odd()],
    ['was given a job once', runnerSubject({ state: 'fenced', polledAt: null, everClaimed: true }), odd()],
    [
      'may have been given a job',
      runnerSubject({ state: 'fenced', polledAt: null, everClaimed: null }),
      odd(),
    ],
  ])('does not give up one that %s', (_what, subject, read) => {
    expect(decided(subject, read)).not.toMatchObject({ rule: 'stuck-start' })
  })
})
