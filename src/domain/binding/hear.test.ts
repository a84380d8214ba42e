import { describe, expect, it } from 'vitest'
import { aJob, anAttempt, aRunner, aWord, now } from '../../../test/support/rows.ts'
import type { Attempt } from '../attempt/index.ts'
import type { Job } from '../job/index.ts'
import { goodbyeMs, type Runner } from '../runner/index.ts'
import { applyChanges, type Bound, type Change, evidenceIn, type Known, planWord } from './index.ts'

const context = { adoptHandle: 'adopted-handle', runningCheckMs: 600_000 }

const jobA = aJob({ id: 1, forgeJobId: 101, state: 'delivered' })
const jobB = aJob({ id: 2, forgeJobId: 102, state: 'delivered' })
const onR = boundOf(jobA, { id: 11, forgeRunnerName: 'r', runnerId: 21 })
const completedAt = now
const [before, after] = [completedAt - 5_000, completedAt + 5_000]
const evicted = { class: 'evicted', confidence: 'proven', isAsked: false, deletedAt: null } as const
const onS = boundOf(jobB, { id: 12, forgeRunnerName: 's', runnerId: 22 })

describe('planWord: a start', () => {
  it('starts job, attempt and runner together', () => {
    const plan = planWord(known(jobA, onR, onR), aWord(jobA, 'in_progress', { runnerName: 'r' }), context)
    const after = carryOut(plan, [onR])
    expect(after.jobs).toMatchObject([{ id: 1, state: 'running', executor: 'r' }])
    expect(after.attempts).toMatchObject([{ id: 11, state: 'running', jobId: 1 }])
    expect(after.runners).toMatchObject([{ id: 21, state: 'busy' }])
  })

  it('changes nothing when it is repeated', () => {
    const running = { ...jobA, state: 'running' as const, executor: 'r' }
    const word = aWord(jobA, 'in_progress', { runnerName: 'r' })
    expect(planWord(known(running, { ...onR, job: running }, onR), word, context)).toEqual([])
  })

  it('changes nothing when it names no runner', () => {
    expect(planWord(known(jobA, onR, null), aWord(jobA, 'in_progress'), context)).toEqual([])
  })

  it.each(['completed', 'cancelled', 'lost'] as const)('changes nothing about a job that is %s', (state) => {
    const over = { ...jobA, state, endedAt: now }
    for (const status of ['queued', 'in_progress', 'completed'] as const) {
      expect(planWord(known(over, null, onR), aWord(over, status, { runnerName: 'r' }), context)).toEqual([])
    }
  })

  it('changes nothing when it is older than what is known', () => {
    const running = { ...jobA, state: 'running' as const, executor: 's', forgeStartedAt: now }
    const word = aWord(jobA, 'in_progress', { runnerName: 'r', startedAt: now - 1 })
    expect(planWord(known(running, null, onR), word, context)).toEqual([])
  })

  it('does not believe that a runner runs which was never minted', () => {
    const claimed = boundOf(
      { ...jobA, state: 'claimed' },
      { id: 11, forgeRunnerName: 'r', runnerId: 21 },
      'claimed',
    )
    const word = aWord(jobA, 'in_progress', { runnerName: 'r' })
    expect(planWord(known(claimed.job, claimed, claimed), word, context)).toEqual([])
  })

  it('exchanges the jobs of two runners', () => {
    const plan = planWord(known(jobB, onS, onR), aWord(jobB, 'in_progress', { runnerName: 'r' }), context)
    const after = carryOut(plan, [onR, onS])
    expect(byId(after.attempts)).toMatchObject([
      { id: 11, jobId: 2, state: 'running' },
      { id: 12, jobId: 1, state: 'delivered' },
    ])
    expect(byId(after.jobs)).toMatchObject([
      { id: 1, state: 'delivered' },
      { id: 2, state: 'running', executor: 'r' },
    ])
  })

  it('puts the job back into the queue whose runner was given another one', () => {
    const free = { ...jobB, state: 'queued' as const }
    const plan = planWord(known(free, null, onR), aWord(free, 'in_progress', { runnerName: 'r' }), context)
    expect(byId(carryOut(plan, [onR], [free]).jobs)).toMatchObject([
      { id: 1, state: 'queued', requeues: 0 },
      { id: 2, state: 'running' },
    ])
  })

  it('takes the job away from an attempt when a foreign runner runs it, with the word as proof', () => {
    const word = aWord(jobA, 'in_progress', { runnerName: 'theirs' })
    const plan = planWord(known(jobA, onR, null), word, context)
    expect(evidenceIn(plan)).toEqual([{ kind: 'forge-word', record: word }])
    const after = carryOut(plan, [onR])
    expect(after.attempts).toMatchObject([{ state: 'ended', endReason: 'taken-elsewhere', evidenceId: 900 }])
    expect(after.jobs).toMatchObject([{ state: 'running', executor: 'theirs' }])
    // Not freed, and looked at when it had time to leave.
    expect(after.runners).toMatchObject([{ state: 'claimed', checkAt: now + goodbyeMs }])
  })

  it('adopts a live runner whose attempt was given up', () => {
    const queued = { ...jobA, state: 'queued' as const }
    const givenUp = ended(onR)
    const word = aWord(queued, 'in_progress', { runnerName: 'r' })
    const after = carryOut(planWord(known(queued, null, givenUp), word, context), [givenUp], [queued])
    expect(after.opened).toMatchObject([
      { handle: 'adopted-handle', jobId: 1, runnerId: 21, state: 'running', endedAt: null, evidenceId: null },
    ])
    expect(after.runners).toMatchObject([{ id: 21, state: 'busy' }])
  })

  it.each([
    ['that is dead', { runner: aRunner({ id: 21, state: 'ended', endedAt: now, evidenceId: 5 }) }, false],
    ['that has another attempt', {}, true],
  ] as const)('does not adopt a runner %s', (_, over, runnerHasOpenAttempt) => {
    const queued = { ...jobA, state: 'queued' as const }
    const givenUp = { ...ended(onR), ...over }
    const word = aWord(queued, 'in_progress', { runnerName: 'r' })
    const plan = planWord({ ...known(queued, null, givenUp), runnerHasOpenAttempt }, word, context)
    expect(plan.map(({ on }) => on)).toEqual(['job'])
  })
})

describe('planWord: an end', () => {
  it('ends job and attempt together, with the word as proof', () => {
    const word = aWord(jobA, 'completed', { runnerName: 'r', completedAt: now })
    const after = carryOut(planWord(known(jobA, onR, onR), word, context), [onR])
    expect(after.jobs).toMatchObject([{ state: 'completed', conclusion: 'success', forgeCompletedAt: now }])
    expect(after.attempts).toMatchObject([{ state: 'ended', endReason: 'finished', evidenceId: 900 }])
  })

  it('makes up for the start that was lost', () => {
    const word = aWord(jobB, 'completed', { runnerName: 'r' })
    const after = carryOut(planWord(known(jobB, onS, onR), word, context), [onR, onS])
    expect(byId(after.attempts)).toMatchObject([
      { id: 11, jobId: 2, state: 'ended', endReason: 'finished' },
      { id: 12, jobId: 1, state: 'delivered' },
    ])
    expect(byId(after.jobs)).toMatchObject([
      { id: 1, state: 'delivered' },
      { id: 2, state: 'completed' },
    ])
  })

  it('makes up for a start and a delivery that were lost, and does not free the runner that ran', () => {
    const minted = boundOf(
      { ...jobA, state: 'claimed' },
      { id: 11, forgeRunnerName: 'r', runnerId: 21 },
      'minted',
    )
    const free = { ...jobB, state: 'queued' as const }
    const word = aWord(free, 'completed', { runnerName: 'r' })
    const after = carryOut(planWord(known(free, null, minted), word, context), [minted], [free])
    expect(after.attempts).toMatchObject([{ state: 'ended', endReason: 'finished', jobId: 2 }])
    expect(after.runners).toMatchObject([{ state: 'busy' }])
  })

  it('frees a runner that was given nothing yet', () => {
    const claimed = boundOf(
      { ...jobA, state: 'claimed' },
      { id: 11, forgeRunnerName: 'r', runnerId: 21 },
      'claimed',
    )
    const word = aWord(jobA, 'completed', { conclusion: 'cancelled' })
    const after = carryOut(planWord(known(claimed.job, claimed, null), word, context), [claimed])
    expect(after.runners).toMatchObject([{ state: 'polling' }])
    expect(after.jobs).toMatchObject([{ state: 'cancelled' }])
  })

  it('does not free a runner that has a JIT', () => {
    const word = aWord(jobA, 'completed', { conclusion: 'cancelled' })
    const { runners } = carryOut(planWord(known(jobA, onR, null), word, context), [onR])
    expect(runners).toMatchObject([{ state: 'claimed', checkAt: now + goodbyeMs }])
  })

  it.each([
    ['failure', before, 'lost'],
    ['failure', after, 'completed'],
    ['failure', null, 'completed'],
    ['success', before, 'completed'],
    ['cancelled', before, 'lost'],
    ['cancelled', after, 'cancelled'],
    ['cancelled', null, 'cancelled'],
    ['skipped', before, 'cancelled'],
  ] as const)(
    'of %s, the runner having been evicted at %s, makes the job %s',
    (conclusion, begunAt, state) => {
      const death = begunAt === null ? null : { ...evicted, begunAt, endedAt: begunAt }
      const ran = { ...onR, death }
      const word = aWord(jobA, 'completed', { runnerName: 'r', conclusion, completedAt })
      const { jobs } = carryOut(planWord(known(jobA, ran, ran), word, context), [ran])
      expect(jobs).toMatchObject([{ state, conclusion, forgeCompletedAt: completedAt }])
    },
  )

  it('of a job that never ran makes it cancelled, although the runner that was meant for it died', () => {
    const ran = { ...onR, death: { ...evicted, begunAt: before, endedAt: before } }
    const word = aWord(jobA, 'completed', { runnerName: null, conclusion: 'cancelled', completedAt })
    const { jobs } = carryOut(planWord(known(jobA, ran, null), word, context), [ran])
    expect(jobs).toMatchObject([{ state: 'cancelled' }])
  })

  it('says unknown where the forge gave no conclusion', () => {
    const word = aWord(jobA, 'completed', { runnerName: 'r', conclusion: null })
    const after = carryOut(planWord(known(jobA, onR, onR), word, context), [onR])
    expect(after.jobs).toMatchObject([{ state: 'completed', conclusion: 'unknown' }])
  })
})

function boundOf(job: Job, of: Partial<Attempt>, state: Attempt['state'] = 'delivered'): Bound {
  const deliveredAt = state === 'claimed' || state === 'minted' ? null : now - 100
  const attempt = anAttempt({ jobId: job.id, claimedJobId: job.id, state, deliveredAt, ...of })
  return { attempt, job, runner: aRunner({ id: attempt.runnerId, state: 'claimed' }), death: null }
}

function ended(bound: Bound): Bound {
  const attempt = {
    ...bound.attempt,
    state: 'ended',
    endedAt: now,
    endReason: 'never-registered',
    evidenceId: 7,
  } as const
  return { ...bound, attempt }
}

function known(job: Job, ofJob: Bound | null, ofRunner: Bound | null): Known {
  const runnerHasOpenAttempt = ofRunner !== null && ofRunner.attempt.endedAt === null
  return { job, ofJob, ofRunner, runnerHasOpenAttempt }
}

function carryOut(plan: readonly Change[], bounds: readonly Bound[], jobs: readonly Job[] = []) {
  const rows = {
    jobs: new Map([
      ...bounds.map(({ job }): [number, Job] => [job.id, job]),
      ...jobs.map((job): [number, Job] => [job.id, job]),
    ]),
    attempts: new Map(bounds.map(({ attempt }): [number, Attempt] => [attempt.id, attempt])),
    runners: new Map(bounds.map(({ runner }): [number, Runner] => [runner.id, runner])),
  }
  return applyChanges(rows, plan, () => 900, now)
}

function byId<Row extends { readonly id: number }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => a.id - b.id)
}
