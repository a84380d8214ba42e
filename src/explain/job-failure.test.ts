import { describe, expect, it } from 'vitest'
import { death, explained, found } from '../../test/support/explain.ts'
import { aJob, anAttempt, anEnding, aRunner, now } from '../../test/support/rows.ts'
import { classifyDeath } from '../domain/death/index.ts'
import { aPodEnd } from '../domain/death/testing.ts'
import type { ForgeJobFact } from '../domain/snapshot/index.ts'
import { forgeJobFact } from '../domain/snapshot/testing/facts.ts'
import { attemptsOf } from './attempts.ts'
import type { JobAtForge } from './job-at-forge.ts'
import { jobToAsk } from './job-failure.ts'

const attempt = anAttempt({ state: 'ended', endReason: 'finished', endedAt: now })
const job = aJob({
  state: 'completed',
  conclusion: 'failure',
  executor: attempt.forgeRunnerName,
  endedAt: now,
  forgeCompletedAt: now,
})
const clean = death(classifyDeath(anEnding({ exitCode: 0, oomKills: 0, pod: aPodEnd() })))
const step = (number: number, name: string, conclusion: string) => ({
  number,
  name,
  conclusion,
  status: 'completed',
  startedAt: now - 60_000,
  completedAt: now,
})
const failed: JobAtForge = {
  job: forgeJobFact(1, {
    conclusion: 'failure',
    headSha: 'c0ffee',
    runAttempt: 2,
    steps: [step(1, 'Set up job', 'success'), step(2, 'Run npm test', 'failure')],
    annotations: [{ level: 'failure', title: null, message: 'Process completed with exit code 1.' }],
  }),
  log: 'one\ntwo\n',
  others: [],
  unread: [],
}
const given = (runner = aRunner({ state: 'ended', endedAt: now, evidenceId: 7 }), evidence = [clean]) =>
  found(evidence, {
    job: { job, attempts: [attempt] },
    runner: { runner, attempts: [{ attempt, job }] },
  })

describe('a job of ours that failed while its runner was in order', () => {
  it('is said to have failed by itself, with the step, next to how its runner ended', () => {
    const explanation = explained(given(), null, failed)
    expect(explanation).toMatchObject({
      jobVerdict: { class: 'own-step', confidence: 'proven', step: 'Run npm test' },
      verdict: { class: 'clean' },
      isReached: true,
    })
    expect(explanation.ruledOut.join()).toContain('the kernel counted no kill')
    expect(explanation.unknown.join()).not.toContain('whether its runner reported')
    expect(explained(given()).unknown.join()).toContain('whether its runner reported')
    expect(explanation.evidence.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'It ran commit c0ffee, in attempt 2 of its run.',
        'Step 2, "Run npm test", failed.',
        'Of its 2 steps, 1 succeeded.',
        'Annotation (failure): Process completed with exit code 1.',
        'The forge has its log, of 2 lines.',
      ]),
    )
  })

  it('is not said to be given up by the forge where its runner lives and reported the step', () => {
    const alive = given(aRunner({ state: 'busy', polledAt: now }), [])
    expect(explained(alive, null, failed)).toMatchObject({
      verdict: null,
      jobVerdict: { class: 'own-step', confidence: 'likely' },
      summary: expect.stringContaining('the forge ended its job, and it lives on'),
    })
    expect(explained(alive)).toMatchObject({ jobVerdict: null, verdict: null })
  })

  it('says what the forge could not be asked about, and judges by the rest', () => {
    const silent: JobAtForge = {
      job: null,
      log: null,
      others: [],
      unread: ["the job's steps at the forge: silence"],
    }
    const explanation = explained(given(), null, silent)
    expect(explanation.jobVerdict).toMatchObject({ class: 'unknown', confidence: 'unknown' })
    expect(explanation.unknown).toContain("the job's steps at the forge: silence")
    expect(explanation.verdict?.class).toBe('clean')
  })

  it('is judged by the kills that were counted for it', () => {
    const short = death(classifyDeath(anEnding({ exitCode: 0, oomKills: 1 })))
    const explanation = explained(given(undefined, [short]), null, failed)
    expect(explanation.jobVerdict).toMatchObject({ class: 'guest-oom', confidence: 'likely' })
  })

  it('was lost with its runner where the ledger says so', () => {
    const lost = found([death(classifyDeath(anEnding({ exitCode: 137 })))])
    expect(explained(lost, null, { ...failed, log: null })).toMatchObject({
      jobVerdict: { class: 'lost-runner', because: ['Its runner ended: sigkill-unknown, likely.'] },
    })
  })
})

describe('the forge', () => {
  const asked = (over: Partial<typeof job>) =>
    jobToAsk(found([], { job: { job: { ...job, ...over } } })) !== null

  it('is asked about a job that failed, and about one that passed after it was run again', () => {
    expect(asked({})).toBe(true)
    expect(asked({ conclusion: 'success', runAttempt: 2 })).toBe(true)
  })
  it('is not asked about a job that passed the first time, nor about one that is open', () => {
    expect(asked({ conclusion: 'success', runAttempt: 1 })).toBe(false)
    expect(asked({ state: 'running', conclusion: null, runAttempt: 2 })).toBe(false)
  })
})

describe('the attempts of a job of ours', () => {
  const second = forgeJobFact(2, { status: 'completed', conclusion: 'success', runAttempt: 2 })
  const first = {
    ...(failed.job as ForgeJobFact),
    status: 'completed',
    headSha: second.headSha,
    runAttempt: 1,
  }
  const atForge: JobAtForge = { ...failed, job: first, others: [{ job: second, log: null }] }

  it("have the node of the ledger's record, and the verdict that its runner's evidence is part of", async () => {
    const file = given().runner
    const attempts = await attemptsOf(
      { ...atForge, job: { ...first, runnerName: attempt.forgeRunnerName } },
      { runnerFile: async (name) => (name === attempt.forgeRunnerName ? file : null) },
    )
    expect(attempts?.attempts.map(({ number, node }) => `${number} ${node}`)).toEqual(['1 node-1', '2 null'])
    const short = death(classifyDeath(anEnding({ exitCode: 0, oomKills: 1 })))
    const { attempts: shown } = explained(given(undefined, [short]), null, atForge, attempts)
    expect(shown).toMatchObject({
      outcome: 'passed-on-same-commit',
      attempts: [{ verdict: { class: 'guest-oom' } }, { verdict: null }],
    })
  })
})
