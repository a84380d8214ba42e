import { describe, expect, it } from 'vitest'
import type { ForgeJobFact } from '../snapshot/index.ts'
import { forgeJobFact, minuteMs, readAt } from '../snapshot/testing/facts.ts'
import { compareAttempts } from './index.ts'

const sha = 'abc1234def56789abc1234def56789abc1234def'
const other = '9999999def56789abc1234def56789abc1234def'

/** The attempt of this number, which ended by itself. */
function attempt(number: number, conclusion: string | null, given: Partial<ForgeJobFact> = {}): ForgeJobFact {
  return forgeJobFact(86 + number, {
    runAttempt: number,
    headSha: sha,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    runnerName: `linux-${number}`,
    startedAt: readAt + number * minuteMs,
    completedAt: conclusion === null ? null : readAt + (number + 1) * minuteMs,
    ...given,
  })
}

const nodes: Record<string, string> = { 'linux-1': 'honey', 'linux-2': 'sting' }
const known = { nodeOf: (job: ForgeJobFact) => nodes[job.runnerName ?? ''] ?? null, verdictOf: () => null }
const compared = (...jobs: readonly [ForgeJobFact, ...ForgeJobFact[]]) =>
  compareAttempts(jobs[0], jobs, known)

describe('two attempts on one commit', () => {
  it('of which the second passes: the pass is the result, and the failure is evidence', () => {
    const comparison = compared(attempt(1, 'failure'), attempt(2, 'success'))
    expect(comparison).toMatchObject({
      outcome: 'passed-on-same-commit',
      sentence:
        'Attempt 2 passed and attempt 1 failed on the same commit (abc1234): the pass is the result, and the failure is kept as evidence. They ran on the nodes honey, sting.',
      unknown: [],
    })
    expect(comparison?.attempts.map(({ number, node }) => `${number} ${node}`)).toEqual([
      '1 honey',
      '2 sting',
    ])
    expect(comparison?.mustNotConclude[0]).toContain('does not prove the commit broken')
  })
  it('are compared alike, whichever of them is asked about', () => {
    const jobs = [attempt(2, 'success'), attempt(1, 'failure')] as const
    expect(compareAttempts(jobs[0], jobs, known)).toEqual(compareAttempts(jobs[1], jobs, known))
  })
  it('that both fail belong together, and are not retried once more', () => {
    const comparison = compared(attempt(1, 'failure'), attempt(2, 'timed_out', { runnerName: 'linux-1' }))
    expect(comparison).toMatchObject({
      outcome: 'failed-every-time',
      sentence: 'Attempts 1 and 2 failed on the same commit (abc1234). All of these ran on node honey.',
    })
    expect(comparison?.nextSteps.join()).toContain('before anything is run again')
  })
  it('have no result while the second runs', () => {
    expect(compared(attempt(1, 'failure'), attempt(2, null))?.outcome).toBe('not-over')
  })
  it.each(['cancelled', 'skipped'])('of which the second was %s are no comparison', (conclusion) => {
    expect(compared(attempt(1, 'failure'), attempt(2, conclusion))?.outcome).toBe('not-comparable')
  })
})

describe('attempts that prove nothing', () => {
  it('ran another commit: a pass there is not the result here', () => {
    const comparison = compared(attempt(1, 'failure'), attempt(2, 'success', { headSha: other }))
    expect(comparison?.outcome).toBe('not-comparable')
    expect(comparison?.mustNotConclude).toEqual([
      'Attempt 2 ran another commit (9999999): it is no comparison, whatever its result.',
    ])
  })
  it('ran a commit that nobody knows', () => {
    const comparison = compared(attempt(1, 'failure', { headSha: null }), attempt(2, 'success'))
    expect(comparison?.outcome).toBe('not-comparable')
    expect(comparison?.unknown).toEqual(['which commit attempt 1 ran'])
  })
  it('were copied into the next attempt, and not run again', () => {
    const first = attempt(1, 'success')
    const copy = { ...first, jobId: 99, runAttempt: 2 }
    const comparison = compared(first, copy, attempt(3, 'failure'))
    expect(comparison?.attempts.map(({ isCarriedOver }) => isCarriedOver)).toEqual([false, true, false])
    expect(comparison?.sentence).toContain('Attempt 1 passed and attempt 3 failed')
  })
  it('have several jobs of one name in one attempt', () => {
    expect(
      compared(attempt(1, 'failure'), attempt(1, 'success', { jobId: 7 }), attempt(2, 'success'))?.outcome,
    ).toBe('not-comparable')
  })
  it('were not read: they are named as missing', () => {
    expect(compared(attempt(2, 'failure'))?.unknown).toEqual([
      'attempt 1: the forge does not show it, or it was not read',
    ])
  })
  it('are those of other jobs of the run, and of jobs of the same name in other runs', () => {
    const jobs = [
      attempt(1, 'failure'),
      attempt(2, 'success', { name: 'lint' }),
      attempt(2, 'success', { runId: 5 }),
    ]
    expect(compareAttempts(jobs[0] as ForgeJobFact, jobs, known)).toBeNull()
  })
})
