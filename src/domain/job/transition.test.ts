import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aJob, now } from '../../../test/support/rows.ts'
import { isRefusal } from '../machine/index.ts'
import { isOpen, type Job, type JobTransition, jobMoves, jobStates, transitionJob } from './index.ts'

const conclusion = fc.constantFrom('success', 'failure', 'cancelled')
const at = fc.option(fc.integer({ min: 0, max: now }), { nil: null })
const anyEvent: fc.Arbitrary<JobTransition> = fc.oneof(
  fc.constantFrom<JobTransition>({ kind: 'claimed' }, { kind: 'delivered' }, { kind: 'registered' }),
  fc.record({
    kind: fc.constant('started' as const),
    executor: fc.string({ minLength: 1 }),
    forgeStartedAt: at,
  }),
  fc.record({ kind: fc.constantFrom('completed', 'cancelled', 'lost'), conclusion, forgeCompletedAt: at }),
  fc.constant<JobTransition>({ kind: 'unbound' }),
  fc.record({ kind: fc.constant('requeued' as const), delayMs: fc.nat(), mintFailed: fc.boolean() }),
)
const anyHistory = fc.array(anyEvent, { maxLength: 30 })

describe('transitionJob', () => {
  it('never leaves the table, whatever the events', () => {
    follow((job, event, after) => {
      const allowed = (jobMoves[job.state] as Record<string, string>)[event.kind]
      expect(after === null ? undefined : after.state).toBe(allowed)
    })
  })

  it('moves backwards by requeued and unbound only, and only while the job is open', () => {
    follow((job, event, after) => {
      if (after === null || jobStates.indexOf(after.state) > jobStates.indexOf(job.state)) return
      expect(['requeued', 'unbound']).toContain(event.kind)
      expect(isOpen(job)).toBe(true)
      expect(after.state).toBe('queued')
    })
  })

  it('takes nothing any more once the job has ended', () => {
    follow((job, _, after) => {
      if (!isOpen(job)) expect(after).toBeNull()
    })
  })

  it('refuses an event that is repeated at once, as late where it was a step forward', () => {
    follow((_, event, after) => {
      if (after === null) return
      const again = transitionJob(after, event, now)
      expect(isRefusal(again)).toBe(true)
      const isForward = event.kind !== 'requeued' && event.kind !== 'unbound'
      if (isForward) expect(again).toMatchObject({ refused: 'late', state: after.state })
    })
  })

  it('keeps the invariants of every row of a job', () => {
    follow((_, __, after) => {
      if (after === null) return
      expect(after.endedAt === null).toBe(isOpen(after))
      if (after.state === 'running') expect(after.executor).not.toBeNull()
      if (after.state === 'queued') expect(after.executor).toBeNull()
    })
  })

  it('counts a requeue, and a failed mint only where there was one', () => {
    const job = aJob({ state: 'claimed', requeues: 2, mintFailures: 1 })
    expect(transitionJob(job, { kind: 'requeued', delayMs: 500 }, now)).toMatchObject({
      state: 'queued',
      requeues: 3,
      mintFailures: 1,
      notBefore: now + 500,
      checkAt: now + 500,
    })
    expect(transitionJob(job, { kind: 'requeued', delayMs: 0, mintFailed: true }, now)).toMatchObject({
      mintFailures: 2,
    })
  })

  it('does not hold it against a job that its runner was given another one', () => {
    const job = aJob({ state: 'registered', notBefore: now - 5, requeues: 0 })
    expect(transitionJob(job, { kind: 'unbound' }, now)).toMatchObject({
      state: 'queued',
      requeues: 0,
      notBefore: now - 5,
    })
  })

  it('forgets a quarantine when the forge gives the job to a runner all the same', () => {
    const event = { kind: 'started', executor: 'theirs', forgeStartedAt: 7 } as const
    expect(transitionJob(aJob({ quarantine: 'no group' }), event, now)).toMatchObject({ quarantine: null })
  })

  it('calls an event that no state leads to from here illegal, not late', () => {
    expect(transitionJob(aJob(), { kind: 'registered' }, now)).toMatchObject({ refused: 'illegal' })
  })
})

/** Walks any history; `check` sees each event with the job before it and after it (null where it was refused). */
function follow(check: (job: Job, event: JobTransition, after: Job | null) => void): void {
  fc.assert(
    fc.property(anyHistory, (events) => {
      let job = aJob()
      for (const event of events) {
        const result = transitionJob(job, event, now)
        check(job, event, isRefusal(result) ? null : result)
        if (!isRefusal(result)) job = result
      }
    }),
    { numRuns: 300 },
  )
}
