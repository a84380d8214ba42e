import { describe, expect, it } from 'vitest'
import { aJob, anAttempt, now } from '../../../../test/support/rows.ts'
import {
  absent,
  facts,
  gone,
  hostedRunning,
  left,
  type Read,
  says,
  workingSubject,
} from '../../../../test/support/views.ts'
import type { PastDeadline } from '../../attempt/index.ts'
import { calmMsOf, decide, type Subject } from '../index.ts'

const hour = 3_600_000
const minute = 60_000
const started = hostedRunning({ program: 'started' })
const working: Read = { hosted: started, forgeJob: says('in_progress'), forgeRunner: absent }
const past = (over: Partial<PastDeadline> = {}) => ({
  pastDeadline: { at: now - minute, limitMs: hour, ranMs: hour + 1_000, cancel: 'done' as const, ...over },
})
const decided = (subject: Subject, read: Read = working) => decide({ subject, facts: facts(read) }, now)
const actions = (subject: Subject, read?: Read) => {
  const decision = decided(subject, read)
  return decision.kind === 'act' && decision.rule === 'job-deadline' ? decision.actions : []
}
const kinds = (subject: Subject, read?: Read) => actions(subject, read).map(({ kind }) => kind)

describe('job-deadline', () => {
  it('notes that a job ran for as long as its pool allows, and asks the forge to cancel its run', () => {
    expect(actions(workingSubject({ maxJobMs: hour }))).toEqual([
      expect.objectContaining({ kind: 'note-past-deadline', limitMs: hour, ranMs: hour }),
      expect.objectContaining({ kind: 'cancel-run', repository: 'acme/app', runId: 11 }),
      expect.objectContaining({ kind: 'look-again' }),
    ])
  })

  it('does nothing just before that, nor where the pool has no limit', () => {
    expect(decided(workingSubject({ maxJobMs: hour + 1 }))).toEqual(left('attempt-decides'))
    expect(decided(workingSubject())).toEqual(left('attempt-decides'))
  })

  it('does nothing where nobody knows when the job began', () => {
    expect(decided(workingSubject({ maxJobMs: 1 }, { startedAt: null }))).toEqual(left('attempt-decides'))
    expect(decided(workingSubject({ maxJobMs: 1 }, { state: 'registered', startedAt: null }))).toEqual(
      left('attempt-decides'),
    )
  })

  it.each(['hosted', 'forgeJob'] as const)('does nothing while %s cannot be read', (fact) => {
    const { [fact]: _, ...rest } = working
    for (const noted of [{}, past({ at: now - hour })]) {
      expect(decided(workingSubject({ maxJobMs: hour }, noted), rest).kind).toBe('refresh')
    }
  })

  it.each([
    ['the forge took the request, and its time to end the job is not over', past()],
    ['the forge refused just now', past({ at: now - 1_000, cancel: 'refused' })],
  ])('does not stop the runner where %s', (_, noted) => {
    expect(kinds(workingSubject({ maxJobMs: hour }, noted))).toEqual(['look-again'])
  })

  it.each([
    ['took the request, and minutes later the job still runs', past({ at: now - 7 * minute })],
    ['refused', past({ cancel: 'refused' })],
    ['cannot be asked to cancel', past({ cancel: 'unsupported' })],
  ])('stops the runner where the forge %s', (_, noted) => {
    expect(actions(workingSubject({ maxJobMs: hour }, noted))[0]).toEqual({
      kind: 'stop-runner',
      runnerName: 'linux-1',
      evenIfStarted: true,
      reason: 'its job ran for 60 of 60 min, which is as long as its pool lets one run',
    })
  })

  it('asks the forge again, and stops nothing, as long as it has not answered', () => {
    const unanswered = past({ at: now - hour, cancel: null })
    expect(kinds(workingSubject({ maxJobMs: hour }, unanswered))).toEqual([
      'note-past-deadline',
      'cancel-run',
      'look-again',
    ])
  })

  it('applies that the job is over, and leaves the runner to its own end', () => {
    const over = { ...working, forgeJob: says('completed') }
    expect(kinds(workingSubject({ maxJobMs: hour }, past({ at: now - hour })), over)).toEqual(['hear'])
  })

  it.each([
    ['queued again', says('queued')],
    ['gone', gone],
    ["another runner's", says('in_progress', { runnerName: 'other' })],
  ])('does nothing about a job that the forge says is %s', (_, forgeJob) => {
    const subject = workingSubject({ maxJobMs: hour }, past({ at: now - hour }))
    expect(actions(subject, { ...working, forgeJob })).toEqual([])
  })

  it.each([
    ['has ended', 'exited' as const],
    ['is leaving already', hostedRunning({ program: 'started', leavingSince: now - 1 })],
    ['is on a node that is silent', hostedRunning({ program: 'started', silentSince: now - 1 })],
  ])('does nothing about a runner that %s', (_, hosted) => {
    expect(actions(workingSubject({ maxJobMs: hour }), { ...working, hosted })).toEqual([])
  })

  it('uses the time of the forge, but not one before the claim, nor after the start was received', () => {
    const subject = (forgeStartedAt: number, maxJobMs: number): Subject => {
      const attempt = anAttempt({
        state: 'running',
        deliveredAt: now - hour,
        claimedAt: now - hour,
        mintedAt: now - hour,
        startedAt: now - minute,
      })
      const job = aJob({ state: 'running', executor: attempt.forgeRunnerName, forgeStartedAt })
      return { ...workingSubject({ maxJobMs }), last: { attempt, job } }
    }
    expect(kinds(subject(now - 30 * minute, 30 * minute))).toContain('cancel-run')
    expect(kinds(subject(now - 30 * minute, 31 * minute))).toEqual([])
    // Clocks of the forge that are far behind ours, and far before it.
    expect(kinds(subject(now - 9 * hour, 2 * hour))).toEqual([])
    expect(kinds(subject(now + 9 * hour, minute))).toContain('cancel-run')
  })

  it('is looked at when the limit is reached, and not every minute alone', () => {
    expect(calmMsOf(workingSubject({ maxJobMs: hour + 7_000 }), now)).toBe(7_000)
    expect(calmMsOf(workingSubject({ maxJobMs: 2 * hour }), now)).toBe(minute)
    expect(calmMsOf(workingSubject({ maxJobMs: 3_000 }, { state: 'registered', startedAt: null }), now)).toBe(
      3_000,
    )
    expect(calmMsOf(workingSubject(), now)).toBe(minute)
  })
})
