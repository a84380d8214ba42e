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

const lookAgain = { kind: 'look-again', inMs: expect.any(Number) }

function decided(subject: Subject, read: Read) {
  const decision = decide({ subject, facts: facts(read) }, now)
  return decision.kind === 'act' ? { rule: decision.rule, actions: decision.actions } : decision
}

describe('stale-queued', () => {
  const rule = 'stale-queued'
  const job = (over: Parameters<typeof aJob>[0] = {}): Subject => ({
    kind: 'job',
    job: aJob({ checkAt: now, ...over }),
  })

  it('closes a job that the forge does not know any more', () => {
    const close = { kind: 'close-job', jobId: 1, conclusion: 'gone' }
    const old = job({ seenAt: now - 120_000 })
    expect(decided(old, { forgeJob: gone })).toEqual({ rule, actions: [close] })
  })

  it('does not close a job that is so new that the forge may not list it yet', () => {
    const fresh = job({ seenAt: now - 119_999 })
    expect(decided(fresh, { forgeJob: gone })).toEqual({ rule, actions: [lookAgain] })
  })

  it('puts a job back that runs here on the runner of somebody else and is queued at the forge', () => {
    const running = job({ state: 'running', executor: 'theirs', forgeStartedAt: now - 120_000 })
    const back = { kind: 'requeue-job', jobId: 1 }
    expect(decided(running, { forgeJob: says('queued') })).toEqual({ rule, actions: [back] })
  })

  it('does not put a job back that started so lately that the forge may not show it yet', () => {
    const running = job({ state: 'running', executor: 'theirs', forgeStartedAt: now - 119_999 })
    expect(decided(running, { forgeJob: says('queued') })).toEqual({ rule, actions: [lookAgain] })
  })

  it('applies the start or the end whose event was lost', () => {
    for (const forgeJob of [says('completed'), says('in_progress', { runnerName: 'theirs' })]) {
      expect(decided(job(), { forgeJob })).toMatchObject({ rule, actions: [{ kind: 'hear' }] })
    }
  })

  it('leaves a job alone that the forge has queued too', () => {
    expect(decided(job(), { forgeJob: says('queued') })).toEqual({ rule, actions: [lookAgain] })
  })

  it('leaves a job alone that still runs on the runner of somebody else', () => {
    const running = job({ state: 'running', executor: 'theirs' })
    const read = { forgeJob: says('in_progress', { runnerName: 'theirs' }) }
    expect(decided(running, read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('does not ask about a job before its time', () => {
    expect(decided(job({ checkAt: now + 1 }), {})).toEqual(left('queue-not-due'))
  })
})

describe('vanished-runner', () => {
  const seal = { rule: 'vanished-runner', actions: [{ kind: 'seal-vanished', runnerId: 1 }] }

  it.each(['polling', 'claimed', 'busy', 'fenced'] as const)(
    'seals the end of a %s runner that is not on its host',
    (state) => {
      expect(decided(runnerSubject({ state }), { hosted: 'absent' })).toEqual(seal)
    },
  )

  it('seals the end of a runner that did not boot in time and is not on its host', () => {
    expect(decided(runnerSubject({ state: 'booting', checkAt: now }), { hosted: 'absent' })).toEqual(seal)
  })

  it('does not seal the end of a runner that may still boot', () => {
    const subject = runnerSubject({ state: 'booting', checkAt: now + 1 })
    expect(decided(subject, { hosted: 'absent' })).toEqual(left('start-not-due'))
  })

  it.each(['running', 'exited'] as const)('does not seal the end of a runner that is there, %s', (hosted) => {
    expect(decided(runnerSubject(), { hosted })).toEqual(
      left(hosted === 'exited' ? 'end-to-be-sealed' : 'asks-for-work'),
    )
  })
})

describe('silent-runner', () => {
  const rule = 'silent-runner'
  const longAgo = now - 3_600_000
  const stop = [
    { kind: 'fence', runnerId: 1, reason: expect.any(String) },
    { kind: 'stop-runner', runnerName: 'linux-1', reason: expect.any(String), evenIfStarted: false },
  ]

  it('fences and stops an idle runner that asks for nothing', () => {
    const subject = runnerSubject({ state: 'polling', polledAt: longAgo })
    expect(decided(subject, { hosted: 'running' })).toEqual({ rule, actions: stop })
  })

  it('fences and stops a runner that runs and did not poll before its boot deadline', () => {
    const subject = runnerSubject({ state: 'booting', polledAt: null, checkAt: now })
    expect(decided(subject, { hosted: 'running' })).toEqual({ rule, actions: stop })
  })

  it('fences and stops it two minutes after we were back ourselves, when it could have asked and did not', () => {
    const subject = runnerSubject({ state: 'polling', polledAt: longAgo }, { watchedSince: now - 120_000 })
    expect(decided(subject, { hosted: 'running' })).toEqual({ rule, actions: stop })
  })

  it.each([
    ['polling', { watchedSince: now - 119_999 }],
    ['booting', { watchedSince: now - 119_999 }],
    ['polling', { watchedSince: undefined }],
    ['booting', { watchedSince: undefined }],
  ] as const)('leaves one that is %s where we were away ourselves, or may have been: %o', (state, since) => {
    const { watchedSince: _, ...unknown } = runnerSubject({ state, polledAt: longAgo, checkAt: longAgo })
    const subject =
      since.watchedSince === undefined ? unknown : { ...unknown, watchedSince: since.watchedSince }
    expect(decided(subject, { hosted: 'running' })).toEqual(left('asks-for-work'))
  })

  it('does not stop a program that started without a configuration of ours: the ledger may be wrong', () => {
    const subject = runnerSubject({ state: 'polling', polledAt: longAgo })
    const decision = decided(subject, { hosted: hostedRunning({ program: 'started' }) })
    expect(decision).toMatchObject({ actions: [{ kind: 'fence' }, { evenIfStarted: false }] })
  })

  it('does not stop what a silent node cannot show: the forge decides about that', () => {
    const subject = runnerSubject({ state: 'polling', polledAt: longAgo })
    const decision = decided(subject, { hosted: hostedRunning({ silentSince: now - 1 }) })
    expect(decision).toMatchObject({ actions: [{ kind: 'fence' }, { evenIfStarted: false }] })
  })

  it('leaves a runner that waits for its node or its image to the deadlines of its pool', () => {
    const subject = runnerSubject({ state: 'booting', polledAt: null, checkAt: now })
    const read = { hosted: hostedRunning({ program: 'waiting' }) }
    expect(decided(subject, read)).toEqual(left('start-of-its-pool'))
  })

  it('does not touch a runner that polled lately', () => {
    const subject = runnerSubject({ state: 'polling', polledAt: now - 30_000 })
    expect(decided(subject, { hosted: 'running' })).toEqual(left('asks-for-work'))
  })

  it('does not touch a runner that has an attempt', () => {
    const subject = runnerSubject({ state: 'polling', polledAt: longAgo }, { hasOpenAttempt: true })
    expect(decided(subject, { hosted: 'running' })).toEqual(left('attempt-decides'))
  })
})

describe('runner-without-attempt', () => {
  const rule = 'runner-without-attempt'
  const longAgo = now - 3_600_000
  const last = { attempt: anAttempt({ state: 'ended', endedAt: longAgo }), job: aJob() }
  const stop = {
    kind: 'stop-runner',
    runnerName: 'linux-1',
    reason: expect.any(String),
    evenIfStarted: true,
  }
  const fence = { kind: 'fence', runnerId: 1, reason: expect.any(String) }
  const there = { hosted: 'running', forgeJob: says('completed'), forgeRunner: absent } as const

  it('stops a runner whose job is over and that did not end', () => {
    expect(decided(runnerSubject({ state: 'busy' }, { last }), there)).toEqual({ rule, actions: [stop] })
  })

  it('fences a runner first that used its configuration for nothing', () => {
    const decision = decided(runnerSubject({ state: 'claimed' }, { last }), there)
    expect(decision).toEqual({ rule, actions: [fence, stop] })
  })

  it('takes its registration away before it stops the runner', () => {
    const read = { ...there, forgeRunner: offline }
    const decision = decided(runnerSubject({ state: 'claimed' }, { last }), read)
    expect(decision).toMatchObject({
      actions: [{ kind: 'remove-registration', forgeRunnerId: 77 }, fence, stop],
    })
  })

  it('does not touch a runner that the forge says is working (I4)', () => {
    const read = { ...there, forgeRunner: busy }
    expect(decided(runnerSubject({ state: 'busy' }, { last }), read)).toEqual({ rule, actions: [lookAgain] })
  })

  it('stops a fenced runner that is idle at the forge', () => {
    const read = { ...there, forgeRunner: idle }
    const subject = runnerSubject({ state: 'fenced', fencedAt: longAgo }, { last })
    expect(decided(subject, read)).toMatchObject({ rule, actions: [{ kind: 'remove-registration' }, stop] })
  })

  it('gives a runner whose attempt has just ended the time to end by itself', () => {
    const justEnded = { ...last, attempt: anAttempt({ state: 'ended', endedAt: now - 1000 }) }
    expect(decided(runnerSubject({ state: 'busy' }, { last: justEnded }), there)).toEqual(left('goodbye'))
  })

  it('leaves a runner alone that has an open attempt, or that ended by itself', () => {
    const working = runnerSubject({ state: 'busy' }, { last, hasOpenAttempt: true })
    expect(decided(working, there)).toEqual(left('attempt-decides'))
    const exited = { hosted: 'exited', forgeRunner: absent } as const
    expect(decided(runnerSubject({ state: 'busy' }, { last }), exited)).toEqual(left('end-to-be-sealed'))
  })

  it.each(['waiting', 'started', 'unknown'] as const)(
    'stops a fenced runner that never had a job, its program %s, only as far as the host agrees',
    (program) => {
      const subject = runnerSubject({ state: 'fenced', fencedAt: longAgo })
      const read = { ...there, hosted: hostedRunning({ program }) }
      expect(decided(subject, read)).toMatchObject({ rule, actions: [{ evenIfStarted: false }] })
    },
  )

  it.each([true, null])(
    'does not stop a runner of which no attempt is found and which may have had one (%s)',
    (everClaimed) => {
      for (const state of ['busy', 'claimed', 'fenced'] as const) {
        const subject = runnerSubject({ state, fencedAt: longAgo, everClaimed })
        expect(decided(subject, there)).toEqual({ rule, actions: [lookAgain] })
      }
    },
  )

  it.each([null, 'linux-1-00000001'])(
    'does not stop a runner whose job the forge has in progress on %s',
    (runnerName) => {
      const read = { ...there, forgeJob: says('in_progress', { runnerName }) }
      expect(decided(runnerSubject({ state: 'busy' }, { last }), read)).toEqual({
        rule,
        actions: [lookAgain],
      })
    },
  )

  it('asks nothing about a runner that is leaving', () => {
    const read = { hosted: hostedRunning({ leavingSince: now - 1 }) }
    expect(decided(runnerSubject({ state: 'busy' }, { last }), read)).toEqual(left('leaving'))
  })
})
