import { describe, expect, it } from 'vitest'
import { death, explained, found } from '../../test/support/explain.ts'
import { aJob, anAttempt, anEnding, aRunner, now } from '../../test/support/rows.ts'
import { classifyDeath } from '../domain/death/index.ts'
import type { JobFile } from '../ports/ledger.ts'

describe('where there is no verdict', () => {
  const unsettled = { verdict: null, sealed: null, isReached: false }

  it('says that a runner lives', () => {
    const runner = aRunner({ state: 'busy', polledAt: now })
    const open = anAttempt({ state: 'running' })
    const job = aJob({ state: 'running', executor: open.forgeRunnerName })
    const given = found([], {
      job: { job, attempts: [open] },
      runner: { runner, attempts: [{ attempt: open, job }] },
    })
    expect(explained(given)).toMatchObject({
      ...unsettled,
      summary: 'The runner lives (busy, last seen 1 min ago): nothing has ended.',
      unknown: [],
    })
  })

  it('says of a runner that lives that the forge gave it up, on what grounds, and what is not known', () => {
    const runner = aRunner({ state: 'busy', polledAt: now })
    const ended = anAttempt({ state: 'ended', endReason: 'finished', endedAt: now, deliveredAt: now })
    const over = { state: 'completed', conclusion: 'failure', endedAt: now, forgeCompletedAt: now } as const
    const job = aJob({ ...over, executor: ended.forgeRunnerName })
    const timeline = [
      { id: 1, at: now, subject: 'job', subjectId: 1, jobId: 1, kind: 'completed', source: 'webhook' },
    ].map((row) => ({ ...row, subject: 'job' as const, rule: null, facts: {} }))
    const given = found([], {
      job: { job, attempts: [ended], timeline },
      runner: { runner, attempts: [{ attempt: ended, job }] },
    })
    const explanation = explained(given)
    expect(explanation).toMatchObject({
      summary: expect.stringContaining('the forge ended its job, and it lives on'),
      verdict: { class: 'forge-gave-up', confidence: 'likely' },
    })
    expect(explanation.verdict?.because).toEqual([
      'The forge ended its job with failure, and the runner has lived on for 60 s.',
    ])
    expect(explanation.unknown.join()).toContain('whether the runner reported that failure itself')
  })

  it('says that a job waits, and where to ask why', () => {
    const given = {
      kind: 'job',
      job: { ...(found([]).job as JobFile), job: aJob(), attempts: [] },
      runner: null,
    } as const
    expect(explained(given)).toMatchObject({
      ...unsettled,
      summary: 'It is queued: no runner was given it yet.',
      nextSteps: ['Why it waits: holdfast why 1'],
    })
  })

  it('says that a foreign runner had it, and how that one is explained', () => {
    const job = aJob({ state: 'completed', conclusion: 'failure', executor: 'arc-x', endedAt: now })
    const given = {
      kind: 'job',
      job: { ...(found([]).job as JobFile), job, attempts: [] },
      runner: null,
    } as const
    expect(explained(given)).toMatchObject({
      ...unsettled,
      summary: 'The forge says that it ran on arc-x, which is no runner of this Holdfast.',
      nextSteps: ['If arc-x is a pod: holdfast explain --namespace <namespace> arc-x'],
    })
  })

  it('says that the record of a runner is not there', () => {
    expect(explained({ ...found([]), runner: null })).toMatchObject({
      ...unsettled,
      unknown: ['how the runner ended: its death record is not here, or not any more'],
    })
  })

  it('calls neither "unknown" nor "vanished" a verdict', () => {
    expect(explained(found([death(classifyDeath(null))]))).toMatchObject({
      verdict: { class: 'vanished' },
      isReached: false,
    })
    expect(explained(found([death(classifyDeath(anEnding()))]))).toMatchObject({
      verdict: { class: 'unknown' },
      isReached: false,
    })
  })
})
