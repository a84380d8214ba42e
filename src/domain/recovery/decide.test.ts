import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aJob, anAttempt, aRunner, now } from '../../../test/support/rows.ts'
import {
  absent,
  attemptSubject,
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
  workingSubject,
} from '../../../test/support/views.ts'
import { attemptStates, cancelAnswers, ranSince } from '../attempt/index.ts'
import { openJobStates } from '../job/index.ts'
import { runnerStates } from '../runner/index.ts'
import { decide, type FactName, rules, type Subject, unread } from './index.ts'

const known: Read = { hosted: 'running', forgeJob: says('queued'), forgeRunner: absent }
const deadRunner = { state: 'ended', endedAt: now - 60_000, evidenceId: 9 } as const

/** For each rule a subject that it concerns, and that no rule before it does. */
const concerned: Readonly<Record<string, Subject>> = {
  'running-without-runner': attemptSubject({
    attempt: { state: 'running', deliveredAt: now - 9 },
    job: { state: 'running', executor: 'linux-1-00000001' },
    runner: deadRunner,
  }),
  'stale-claim': attemptSubject(),
  'foreign-claim': { ...(attemptSubject() as Extract<Subject, { kind: 'attempt' }>), isForeign: true },
  'orphaned-runner': attemptSubject({ attempt: { state: 'delivered', deliveredAt: now - 9 } }),
  'missed-end': attemptSubject({ attempt: { state: 'running', deliveredAt: now - 9 } }),
  'disowned-run': attemptSubject({ attempt: { state: 'running', deliveredAt: now - 9 } }),
  'stale-queued': { kind: 'job', job: aJob({ checkAt: now }) },
  'host-lost': {
    ...(runnerSubject({ state: 'polling' }) as Extract<Subject, { kind: 'runner' }>),
    hostLostSince: 0,
  },
  'vanished-runner': runnerSubject({ state: 'polling' }),
  'node-lost': runnerSubject({ state: 'busy' }),
  'stuck-start': runnerSubject({ state: 'fenced', polledAt: null, fencedAt: now - 3_600_000 }),
  'stuck-terminating': runnerSubject({ state: 'busy' }),
  'job-deadline': workingSubject({ maxJobMs: 60_000 }),
  'silent-runner': runnerSubject({ state: 'polling', polledAt: now - 3_600_000 }),
  'runner-without-attempt': runnerSubject({ state: 'busy' }),
}

/** The status of the subject at its host, where a plain runner is not enough. */
const longAgo = now - 3_600_000
const hostedFor: Readonly<Record<string, Read>> = {
  'node-lost': { hosted: hostedRunning({ silentSince: longAgo }) },
  'stuck-start': { hosted: hostedRunning({ program: 'waiting', leavingSince: longAgo }) },
  'stuck-terminating': { hosted: hostedRunning({ leavingSince: longAgo }) },
}
const forgeFor: Readonly<Record<string, Read>> = { 'job-deadline': { forgeJob: says('in_progress') } }
const readFor = (rule: string): Read => ({ ...known, ...hostedFor[rule], ...forgeFor[rule] })

describe('decide', () => {
  it('has a subject here for every rule', () => {
    expect(Object.keys(concerned)).toEqual(rules.map(({ name }) => name))
  })

  const needs = rules.flatMap((rule) =>
    (Object.entries(rule.needs) as [FactName, number][]).map(([fact, ageMs]) => ({
      rule: rule.name,
      fact,
      ageMs,
    })),
  )

  it.each(needs)(
    '$rule asks for $fact where it could not be read, and does nothing else',
    ({ rule, fact }) => {
      const view = {
        subject: concerned[rule] as Subject,
        facts: { ...facts(readFor(rule)), [fact]: unread[fact] },
      }
      const decision = decide(view, now)
      expect(decision.kind).toBe('refresh')
      expect(decision).toMatchObject({ facts: [fact] })
    },
  )

  it.each(needs)('$rule asks for $fact again once it is older than $ageMs ms', ({ rule, fact, ageMs }) => {
    const subject = concerned[rule] as Subject
    const stale = { ...facts(readFor(rule)), [fact]: facts(readFor(rule), ageMs + 1)[fact] }
    expect(decide({ subject, facts: stale }, now)).toMatchObject({ kind: 'refresh', facts: [fact] })
  })

  it.each(needs)('$rule does not ask for $fact that is $ageMs ms old', ({ rule, fact, ageMs }) => {
    const subject = concerned[rule] as Subject
    const fresh = { ...facts(readFor(rule)), [fact]: facts(readFor(rule), ageMs)[fact] }
    const decision = decide({ subject, facts: fresh }, now)
    if (decision.kind === 'refresh') expect(decision.rule).not.toBe(rule)
  })

  it.each(['node-lost', 'stuck-terminating'])(
    '%s asks the forge nothing while the host says nothing odd',
    (rule) => {
      const subject = concerned[rule] as Subject
      const view = {
        subject: { ...subject, hasOpenAttempt: true } as Subject,
        facts: facts({ hosted: 'running' }),
      }
      expect(decide(view, now)).toEqual(left('attempt-decides'))
    },
  )

  it('leaves alone what is before its deadline', () => {
    const attempt = attemptSubject({ attempt: { checkAt: now + 1 } })
    expect(decide({ subject: attempt, facts: facts(known) }, now)).toEqual(left('claim-not-due'))
    const job = { kind: 'job', job: aJob({ checkAt: now + 1 }) } as const
    expect(decide({ subject: job, facts: facts(known) }, now)).toEqual(left('queue-not-due'))
  })

  it('never acts on a fact that is unknown or too old, whatever the subject', () => {
    fc.assert(
      fc.property(anySubject, anyFacts, (subject, read) => {
        const decision = decide({ subject, facts: read }, now)
        if (decision.kind !== 'act') return
        const rule = rules.find(({ name }) => name === decision.rule)
        for (const [name, ageMs] of Object.entries(rule?.needs ?? {}) as [FactName, number][]) {
          const fact = read[name]
          expect(fact.known && now - fact.readAt <= ageMs).toBe(true)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('never acts where nothing could be read', () => {
    fc.assert(
      fc.property(anySubject, (subject) => {
        expect(decide({ subject, facts: unread }, now).kind).not.toBe('act')
      }),
      { numRuns: 1000 },
    )
  })

  it('never stops a started program without the word of the forge (I4), but past the limit of its pool', () => {
    fc.assert(
      fc.property(anySubject, anyFacts, (subject, read) => {
        const decision = decide({ subject, facts: read }, now)
        if (decision.kind !== 'act' || subject.kind !== 'runner') return
        if (decision.rule === 'job-deadline') return expectPastDeadline(subject)
        const { hosted, forgeJob, forgeRunner } = read
        const isStarted =
          hosted.known && hosted.value.kind === 'running' && hosted.value.program === 'started'
        for (const action of decision.actions) {
          if (action.kind !== 'stop-runner' || !action.evenIfStarted || !isStarted) continue
          expect(subject.last).not.toBeNull()
          expect(forgeJob.known && forgeRunner.known).toBe(true)
          const event = forgeJob.known && forgeJob.value.kind === 'known' ? forgeJob.value.word : null
          expect(event?.status === 'in_progress' && event.runnerName === null).toBe(false)
          expect(event?.runnerName).not.toBe(subject.last?.attempt.forgeRunnerName)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('never ends a delivered attempt without evidence (I3), nor a thing that the forge says is working', () => {
    fc.assert(
      fc.property(anySubject, anyFacts, (subject, read) => {
        const decision = decide({ subject, facts: read }, now)
        if (decision.kind !== 'act' || subject.kind === 'job') return
        const working =
          read.forgeRunner.known && 'busy' in read.forgeRunner.value && read.forgeRunner.value.busy
        for (const action of decision.actions) {
          if (action.kind === 'end-attempt') {
            expect(
              subject.kind === 'attempt' && subject.attempt.deliveredAt !== null && action.evidence === null,
            ).toBe(false)
            expect(working).toBe(false)
          }
          if (decision.rule === 'job-deadline') expectPastDeadline(subject)
          else if (action.kind === 'stop-runner' && subject.runner.state === 'busy')
            expect(working).toBe(false)
          if (action.kind === 'seal-lost' || action.kind === 'abandon') expect(working).toBe(false)
        }
      }),
      { numRuns: 3000 },
    )
  })
})

/** The facts by which a live runner at work is stopped: a configured limit, and a known start longer ago. */
function expectPastDeadline(subject: Subject): void {
  const { last = null, maxJobMs } = subject as Extract<Subject, { kind: 'runner' }>
  const startedAt = last === null ? null : ranSince(last.attempt, last.job)
  expect(startedAt).not.toBeNull()
  expect(maxJobMs).toBeDefined()
  expect(now - (startedAt as number)).toBeGreaterThanOrEqual(maxJobMs as number)
}

const when = fc.integer({ min: now - 600_000, max: now + 60_000 })
const anyRunner = fc
  .record({
    state: fc.constantFrom(...runnerStates),
    checkAt: when,
    polledAt: fc.option(when, { nil: null }),
  })
  .map(({ state, ...over }) =>
    aRunner({
      ...over,
      ...(state === 'ended' || state === 'removed' ? { ...deadRunner, state } : { state }),
    }),
  )
const anyOpenJob = fc
  .record({ state: fc.constantFrom(...openJobStates), checkAt: when })
  .map((over) => aJob({ ...over, executor: over.state === 'running' ? 'linux-1-00000001' : null }))
const anyOpenAttempt = fc
  .record({ state: fc.constantFrom(...attemptStates.filter((state) => state !== 'ended')), checkAt: when })
  .map((over) => {
    const isDelivered = over.state !== 'claimed' && over.state !== 'minted'
    return anAttempt({
      ...over,
      deliveredAt: isDelivered ? now - 1 : null,
      startedAt: over.state === 'running' ? over.checkAt - 60_000 : null,
    })
  })
const anyPast = fc.record({
  at: when,
  limitMs: fc.constant(60_000),
  ranMs: fc.constant(61_000),
  cancel: fc.constantFrom(null, ...cancelAnswers),
})
const anySubject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({
    kind: fc.constant('attempt' as const),
    attempt: anyOpenAttempt,
    job: anyOpenJob,
    runner: anyRunner,
  }),
  fc.record({ kind: fc.constant('job' as const), job: anyOpenJob }),
  fc.record({
    kind: fc.constant('runner' as const),
    runner: anyRunner,
    hasOpenAttempt: fc.boolean(),
    last: fc.option(fc.record({ attempt: anyOpenAttempt, job: anyOpenJob }), { nil: null }),
  }),
  fc
    .record({
      maxJobMs: fc.constantFrom(1_000, 60_000, 300_000),
      pastDeadline: fc.option(anyPast),
      attempt: anyOpenAttempt,
    })
    .map(({ maxJobMs, pastDeadline, attempt }) =>
      workingSubject({ maxJobMs }, { ...attempt, ...(pastDeadline === null ? {} : { pastDeadline }) }),
    ),
)
const anyFacts = fc
  .record(
    {
      hosted: fc.constantFrom(
        'exited' as const,
        'absent' as const,
        hostedRunning(),
        hostedRunning({ program: 'waiting' }),
        hostedRunning({ program: 'started' }),
        hostedRunning({ program: 'started', silentSince: longAgo }),
        hostedRunning({ program: 'started', leavingSince: longAgo }),
      ),
      forgeJob: fc.constantFrom(
        gone,
        says('queued'),
        says('in_progress'),
        says('in_progress', { runnerName: 'other' }),
        says('in_progress', { runnerName: 'linux-1-00000001' }),
        says('completed'),
      ),
      forgeRunner: fc.constantFrom(absent, busy, idle, offline),
    },
    { requiredKeys: [] },
  )
  .chain((read) => fc.constantFrom(0, 5_000, 20_000, 40_000).map((ageMs) => facts(read as Read, ageMs)))
