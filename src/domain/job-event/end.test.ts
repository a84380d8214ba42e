import { describe, expect, it } from 'vitest'
import { aJob, anAttempt, aRunner, now } from '../../../test/support/rows.ts'
import { HoldfastError } from '../errors/index.ts'
import { applyChanges, type Change, type JobFate, planEnd } from './index.ts'

const requeue: JobFate = { kind: 'requeue', delayMs: 0 }
const proof = { kind: 'never-registered', record: {} } as const
const delivered = {
  attempt: anAttempt({ state: 'delivered', deliveredAt: now - 10 }),
  job: aJob({ state: 'delivered' }),
  runner: aRunner({ state: 'claimed' }),
}
const claimed = {
  attempt: anAttempt(),
  job: aJob({ state: 'claimed' }),
  runner: aRunner({ state: 'claimed' }),
}

describe('planEnd', () => {
  it('refuses to end a delivered attempt without proof (I3)', () => {
    expect(planEnd(delivered, { kind: 'neverRegistered', proof: null, fate: requeue })).toBe('refused')
  })

  it('ends a delivered attempt with proof, and leaves its runner as it is', () => {
    const plan = planEnd(delivered, { kind: 'neverRegistered', proof, fate: requeue })
    expect(plan).toEqual([
      { on: 'attempt-end', id: 1, kind: 'neverRegistered', proof },
      { on: 'job', id: 1, transition: { kind: 'requeued', delayMs: 0 } },
    ])
  })

  it('frees the runner of an undelivered attempt in the same plan (I7)', () => {
    const plan = planEnd(claimed, { kind: 'claimExpired', proof: null, fate: requeue })
    expect(plan).toContainEqual({ on: 'runner', id: 1, transition: { kind: 'released' } })
  })

  it('does not free a runner that is dead or fenced', () => {
    for (const state of ['ended', 'fenced'] as const) {
      const bound = { ...claimed, runner: aRunner({ state }) }
      const plan = planEnd(bound, { kind: 'claimExpired', proof: null, fate: requeue }) as Change[]
      expect(plan.map(({ on }) => on)).not.toContain('runner')
    }
  })

  it('refuses an end that the state does not know', () => {
    expect(planEnd(delivered, { kind: 'mintFailed', proof, fate: requeue })).toBe('refused')
    expect(planEnd(claimed, { kind: 'neverRegistered', proof, fate: requeue })).toBe('refused')
    const over = { ...delivered, attempt: anAttempt({ state: 'ended', endedAt: now }) }
    expect(planEnd(over, { kind: 'runnerGone', proof, fate: requeue })).toBe('refused')
  })

  it.each([
    [{ kind: 'lost' }, { kind: 'lost' }],
    [{ kind: 'gone' }, { kind: 'cancelled', conclusion: 'gone' }],
    [
      { kind: 'requeue', delayMs: 9, mintFailed: true },
      { kind: 'requeued', delayMs: 9, mintFailed: true },
    ],
  ] as const)('decides the fate of the job: %j', (fate, transition) => {
    const plan = planEnd(claimed, { kind: 'claimExpired', proof: null, fate })
    expect(plan).toContainEqual({ on: 'job', id: 1, transition: expect.objectContaining(transition) })
  })

  it('leaves a job alone that has ended', () => {
    const bound = { ...delivered, job: aJob({ state: 'completed', endedAt: now }) }
    const plan = planEnd(bound, { kind: 'runnerGone', proof, fate: { kind: 'lost' } }) as Change[]
    expect(plan.map(({ on }) => on)).toEqual(['attempt-end'])
  })
})

describe('applyChanges', () => {
  const rows = {
    jobs: new Map([[1, delivered.job]]),
    attempts: new Map([[1, delivered.attempt]]),
    runners: new Map([[1, delivered.runner]]),
  }

  it('throws on a transition that the table refuses, instead of ignoring it', () => {
    const plan: Change[] = [{ on: 'job', id: 1, transition: { kind: 'claimed' } }]
    expect(() => applyChanges(rows, plan, () => 1, now)).toThrow(HoldfastError)
  })

  it('throws on a row that was not locked', () => {
    const plan: Change[] = [{ on: 'job', id: 4711, transition: { kind: 'claimed' } }]
    expect(() => applyChanges(rows, plan, () => 1, now)).toThrow(/not locked/)
  })

  it('writes one timeline row for each change, with what it was about', () => {
    const plan = planEnd(delivered, { kind: 'neverRegistered', proof, fate: requeue }) as Change[]
    expect(applyChanges(rows, plan, () => 33, now).timeline).toMatchObject([
      { subject: 'attempt', subjectId: 1, jobId: 1, kind: 'neverRegistered', facts: { evidenceId: 33 } },
      { subject: 'job', subjectId: 1, jobId: 1, kind: 'requeued', facts: { delayMs: 0 } },
    ])
  })
})
