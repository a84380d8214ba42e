import { describe, expect, it } from 'vitest'
import { now } from '../../../../test/support/rows.ts'
import {
  absent,
  attemptSubject,
  busy,
  facts,
  gone,
  idle,
  left,
  offline,
  type Read,
  says,
} from '../../../../test/support/views.ts'
import type { Subject } from '../index.ts'
import { decide } from '../index.ts'

const handle = '00000001-0000-4000-8000-000000000000'
const lookAgain = { kind: 'look-again', inMs: expect.any(Number) }
const removal = {
  kind: 'remove-registration',
  installation: 'forge',
  repository: 'acme/app',
  forgeRunnerId: 77,
}
const requeue = { kind: 'requeue', delayMs: 0 }

function decided(subject: Subject, read: Read) {
  const decision = decide({ subject, facts: facts(read) }, now)
  return decision.kind === 'act' ? { rule: decision.rule, actions: decision.actions } : decision
}

describe('stale-claim', () => {
  const rule = 'stale-claim'
  const end = { kind: 'end-attempt', handle, end: 'claimExpired', evidence: null, fate: requeue }

  it.each(['claimed', 'minted'] as const)(
    'ends a claim that is %s past its deadline, and requeues',
    (state) => {
      const subject = attemptSubject({ attempt: { state } })
      expect(decided(subject, { forgeJob: says('queued'), forgeRunner: absent })).toEqual({
        rule,
        actions: [end],
      })
    },
  )

  it('takes away the registration first that a mint without an answer left behind', () => {
    const read = { forgeJob: says('queued'), forgeRunner: offline }
    expect(decided(attemptSubject(), read)).toEqual({ rule, actions: [removal, end] })
  })

  it('ends a claim before its deadline when its runner is dead', () => {
    const runner = { state: 'ended', endedAt: now, evidenceId: 9 } as const
    const subject = attemptSubject({ attempt: { checkAt: now + 9999 }, runner })
    expect(decided(subject, { forgeJob: says('queued'), forgeRunner: absent })).toEqual({
      rule,
      actions: [end],
    })
  })

  it('does not touch a claim before its deadline', () => {
    const subject = attemptSubject({ attempt: { checkAt: now + 1 } })
    expect(decided(subject, { forgeJob: says('queued'), forgeRunner: absent })).toEqual(left('claim-not-due'))
  })

  it('does not end a claim whose runner works', () => {
    const read = { forgeJob: says('queued'), forgeRunner: busy }
    expect(decided(attemptSubject(), read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('closes the job together with the claim where the forge has forgotten it', () => {
    const read = { forgeJob: gone, forgeRunner: absent }
    const subject = attemptSubject({ job: { seenAt: now - 120_000 } })
    expect(decided(subject, read)).toEqual({ rule, actions: [{ ...end, fate: { kind: 'gone' } }] })
  })

  it('does not close a job that is so new that the forge may not list it yet', () => {
    const read = { forgeJob: gone, forgeRunner: absent }
    const subject = attemptSubject({ job: { seenAt: now - 119_999 } })
    expect(decided(subject, read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('applies the event of the forge instead, where the forge is ahead', () => {
    for (const ahead of [says('completed'), says('in_progress', { runnerName: 'theirs' })]) {
      const { word: event } = ahead as Extract<typeof ahead, { kind: 'known' }>
      const read = { forgeJob: ahead, forgeRunner: absent }
      expect(decided(attemptSubject(), read)).toEqual({ rule, actions: [{ kind: 'hear', word: event }] })
    }
  })

  it('does not end a claim whose job runs on a runner that the forge does not name', () => {
    const read = { forgeJob: says('in_progress'), forgeRunner: absent }
    expect(decided(attemptSubject(), read)).toEqual({ rule, actions: [lookAgain] })
  })
})

describe('orphaned-runner (docs/incidents/runner-never-registered.md)', () => {
  const rule = 'orphaned-runner'
  const of = (state: 'delivered' | 'acknowledged' | 'registered') =>
    attemptSubject({ attempt: { state, deliveredAt: now - 900_000 }, job: { state: 'delivered' } })

  it.each([
    ['delivered', 'neverRegistered'],
    ['acknowledged', 'neverRegistered'],
    ['registered', 'runnerGone'],
  ] as const)('ends an attempt that is %s as %s, with evidence, and requeues', (state, end) => {
    const decision = decided(of(state), { forgeJob: says('queued'), forgeRunner: absent })
    expect(decision).toEqual({
      rule,
      actions: [
        {
          kind: 'end-attempt',
          handle,
          end,
          evidence: {
            kind: 'never-registered',
            record: {
              deliveredAt: now - 900_000,
              deadlineAt: now,
              decidedAt: now,
              forgeJob: 'queued',
              forgeRunner: 'absent',
            },
          },
          fate: requeue,
        },
      ],
    })
  })

  it('takes away the registration of a runner that is offline before it gives it up', () => {
    const decision = decided(of('acknowledged'), { forgeJob: says('queued'), forgeRunner: offline })
    expect(decision).toMatchObject({ rule, actions: [removal, { kind: 'end-attempt', fate: requeue }] })
  })

  it('marks a runner as registered that the forge has online, and leaves it alone', () => {
    const read = { forgeJob: says('queued'), forgeRunner: idle }
    const mark = { kind: 'mark-registered', handle }
    expect(decided(of('acknowledged'), read)).toEqual({ rule, actions: [mark, lookAgain] })
    expect(decided(of('registered'), read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('does not touch a runner that works', () => {
    const read = { forgeJob: says('queued'), forgeRunner: busy }
    expect(decided(of('acknowledged'), read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('applies that the job runs or is over, and ends nothing by itself', () => {
    const started = says('in_progress', { runnerName: 'theirs' })
    const read = { forgeJob: started, forgeRunner: absent }
    expect(decided(of('acknowledged'), read)).toMatchObject({ actions: [{ kind: 'hear' }] })
    const over = { forgeJob: says('completed'), forgeRunner: absent }
    expect(decided(of('acknowledged'), over)).toMatchObject({ actions: [{ kind: 'hear' }] })
  })

  it('does not end an attempt whose job runs on a runner that the forge does not name', () => {
    const read = { forgeJob: says('in_progress'), forgeRunner: absent }
    expect(decided(of('acknowledged'), read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('closes the job where the forge has forgotten it', () => {
    const { job, ...rest } = of('acknowledged')
    const read = { forgeJob: gone, forgeRunner: absent }
    const old = { ...rest, job: { ...job, seenAt: now - 120_000 } }
    expect(decided(old, read)).toMatchObject({ actions: [{ kind: 'end-attempt', fate: { kind: 'gone' } }] })
    expect(decided({ ...rest, job }, read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('does nothing before the deadline', () => {
    const subject = attemptSubject({ attempt: { state: 'delivered', deliveredAt: now, checkAt: now + 1 } })
    expect(decided(subject, { forgeJob: says('queued'), forgeRunner: absent })).toEqual(
      left('registration-not-due'),
    )
  })
})

describe('running-without-runner', () => {
  const rule = 'running-without-runner'
  const name = 'linux-1-00000001'
  const of = (state: 'delivered' | 'running', diedMsAgo = 5_000) =>
    attemptSubject({
      attempt: { state, deliveredAt: now - 9000, checkAt: now + 9999 },
      job: { state, executor: state === 'running' ? name : null },
      runner: { state: 'ended', endedAt: now - diedMsAgo, evidenceId: 9 },
    })
  const end = { kind: 'end-attempt', handle, end: 'runnerGone', evidence: { kind: 'stored', evidenceId: 9 } }

  it('calls the job lost that the forge still has running when it should have given it up', () => {
    const read = { forgeJob: says('in_progress', { runnerName: name }), forgeRunner: offline }
    expect(decided(of('running', 15 * 60_000), read)).toEqual({
      rule,
      actions: [removal, { ...end, fate: { kind: 'lost' } }],
    })
  })

  it('ends nothing before on answers that contradict each other: one is old, and the job may be over', () => {
    const read = { forgeJob: says('in_progress', { runnerName: name }), forgeRunner: offline }
    expect(decided(of('running', 15 * 60_000 - 1), read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('requeues the job that the forge still has queued', () => {
    const read = { forgeJob: says('queued'), forgeRunner: absent }
    expect(decided(of('delivered'), read)).toEqual({ rule, actions: [{ ...end, fate: requeue }] })
  })

  it.each([
    ['works', busy],
    ['is online', idle],
  ] as const)(
    'does not end it while the forge says that the runner %s: two sources must agree',
    (_, forgeRunner) => {
      const read = { forgeJob: says('queued'), forgeRunner }
      expect(decided(of('delivered'), read)).toEqual({ rule, actions: [lookAgain] })
    },
  )

  it("asks nothing before what the runner said last is in the forge's answers", () => {
    expect(decided(of('running', 4_999), {})).toEqual({ kind: 'wait', rule, inMs: 1 })
    expect(decided(of('running', 5_000), {})).toMatchObject({ kind: 'refresh' })
  })

  it('applies the end that the forge has already', () => {
    const read = { forgeJob: says('completed', { runnerName: name }), forgeRunner: absent }
    expect(decided(of('running'), read)).toMatchObject({ rule, actions: [{ kind: 'hear' }] })
  })

  it('does not concern a runner that is alive, nor an attempt that was never delivered', () => {
    const alive = attemptSubject({ attempt: { state: 'running', deliveredAt: now, checkAt: now + 1 } })
    expect(decided(alive, { forgeJob: says('queued'), forgeRunner: absent })).toEqual(left('run-not-due'))
    const undelivered = attemptSubject({ runner: { state: 'ended', endedAt: now, evidenceId: 9 } })
    expect(decided(undelivered, { forgeJob: says('queued'), forgeRunner: absent })).toMatchObject({
      rule: 'stale-claim',
    })
  })
})

describe('missed-end', () => {
  const rule = 'missed-end'
  const running = attemptSubject({
    attempt: { state: 'running', deliveredAt: now - 9000 },
    job: { state: 'running', executor: 'linux-1-00000001' },
    runner: { state: 'busy' },
  })

  it('applies the end whose event was lost', () => {
    expect(decided(running, { forgeJob: says('completed') })).toMatchObject({
      rule,
      actions: [{ kind: 'hear' }],
    })
  })

  it('leaves a job alone that runs as the ledger says', () => {
    const read = { forgeJob: says('in_progress', { runnerName: 'linux-1-00000001' }) }
    expect(decided(running, read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('asks nothing about a job that runs before its time', () => {
    const subject = { ...running, attempt: { ...running.attempt, checkAt: now + 1 } }
    expect(decided(subject, {})).toEqual(left('run-not-due'))
  })
})

describe('foreign-claim', () => {
  const foreign = (over: Parameters<typeof attemptSubject>[0] = {}) =>
    ({ ...attemptSubject(over), isForeign: true }) as Subject
  const end = { kind: 'end-attempt', handle, end: 'claimExpired', evidence: null, fate: requeue }

  it.each(['claimed', 'minted'] as const)(
    'frees the runner of a claim that is %s, without asking a forge',
    (state) => {
      expect(decided(foreign({ attempt: { state } }), {})).toEqual({ rule: 'foreign-claim', actions: [end] })
    },
  )

  it('leaves a claim before its deadline', () => {
    expect(decided(foreign({ attempt: { checkAt: now + 1 } }), {})).toEqual(left('claim-not-due'))
  })

  it.each(['delivered', 'acknowledged', 'registered', 'running'] as const)(
    'does not end what was delivered and is %s: only evidence does (I3)',
    (state) => {
      const subject = foreign({ attempt: { state, deliveredAt: now - 9 } })
      expect(decided(subject, { forgeJob: gone, forgeRunner: absent })).toEqual(left('foreign-delivered'))
    },
  )

  it('does not concern a claim of the installation that is served', () => {
    expect(decided(attemptSubject(), {})).toMatchObject({ kind: 'refresh', rule: 'stale-claim' })
  })
})

describe('disowned-run', () => {
  const rule = 'disowned-run'
  const longAgo = now - 3_600_000
  const running = attemptSubject({
    attempt: { state: 'running', deliveredAt: longAgo, startedAt: longAgo },
    job: { state: 'running', executor: 'linux-1-00000001', seenAt: longAgo },
    runner: { state: 'busy' },
  })
  const requeue = { kind: 'end-attempt', evidence: { kind: 'forge-word' }, fate: { kind: 'requeue' } }
  const close = { kind: 'end-attempt', evidence: { kind: 'forge-word' }, fate: { kind: 'gone' } }

  it.each([
    ['absent', absent, []],
    ['offline', offline, [{ kind: 'remove-registration' }]],
    ['online and idle', idle, [{ kind: 'remove-registration' }]],
  ])(
    'lets a job wait again that the forge has queued and whose runner is %s there',
    (_, forgeRunner, first) => {
      const decision = decided(running, { forgeJob: says('queued'), forgeRunner })
      expect(decision).toMatchObject({ rule, actions: [...first, requeue] })
    },
  )

  it.each([
    ['absent', absent, []],
    ['offline', offline, [{ kind: 'remove-registration' }]],
  ])('closes a job that the forge does not know and whose runner is %s there', (_, forgeRunner, first) => {
    expect(decided(running, { forgeJob: gone, forgeRunner })).toMatchObject({
      rule,
      actions: [...first, close],
    })
  })

  it.each([says('queued'), gone])('ends nothing while its runner is busy there (I4): %o', (forgeJob) => {
    expect(decided(running, { forgeJob, forgeRunner: busy })).toEqual({ rule, actions: [lookAgain] })
  })

  it.each([says('queued'), gone])('does not believe it shortly after the start: %o', (forgeJob) => {
    const attempt = { ...running.attempt, startedAt: now - 60_000 }
    const decision = decided({ ...running, attempt }, { forgeJob, forgeRunner: absent })
    expect(decision).toEqual({ rule, actions: [lookAgain] })
  })

  it('asks the forge nothing more about a job that runs as the ledger says', () => {
    const read = { forgeJob: says('in_progress', { runnerName: 'linux-1-00000001' }) }
    expect(decided(running, read)).toEqual({ rule: 'missed-end', actions: [lookAgain] })
  })
})
