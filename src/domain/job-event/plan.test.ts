import { describe, expect, it } from 'vitest'
import { aJob, aJobEvent, anAttempt, aRunner, now } from '../../../test/support/rows.ts'
import type { Attempt } from '../attempt/index.ts'
import type { Job } from '../job/index.ts'
import { goodbyeMs, type Runner } from '../runner/index.ts'
import {
  applyChanges,
  type BoundAttempt,
  type Change,
  evidenceIn,
  type KnownRows,
  planJobEvent,
} from './index.ts'

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
    const plan = planJobEvent(
      known(jobA, onR, onR),
      aJobEvent(jobA, 'in_progress', { runnerName: 'r' }),
      context,
    )
    const after = applied(plan, [onR])
    expect(after.jobs).toMatchObject([{ id: 1, state: 'running', executor: 'r' }])
    expect(after.attempts).toMatchObject([{ id: 11, state: 'running', jobId: 1 }])
    expect(after.runners).toMatchObject([{ id: 21, state: 'busy' }])
  })

  it('changes nothing when it is repeated', () => {
    const running = { ...jobA, state: 'running' as const, executor: 'r' }
    const event = aJobEvent(jobA, 'in_progress', { runnerName: 'r' })
    expect(planJobEvent(known(running, { ...onR, job: running }, onR), event, context)).toEqual([])
  })

  it('changes nothing when it names no runner', () => {
    expect(planJobEvent(known(jobA, onR, null), aJobEvent(jobA, 'in_progress'), context)).toEqual([])
  })

  it.each(['completed', 'cancelled', 'lost'] as const)('changes nothing about a job that is %s', (state) => {
    const over = { ...jobA, state, endedAt: now }
    for (const status of ['queued', 'in_progress', 'completed'] as const) {
      expect(
        planJobEvent(known(over, null, onR), aJobEvent(over, status, { runnerName: 'r' }), context),
      ).toEqual([])
    }
  })

  it('changes nothing when it is older than what is known', () => {
    const running = { ...jobA, state: 'running' as const, executor: 's', forgeStartedAt: now }
    const event = aJobEvent(jobA, 'in_progress', { runnerName: 'r', startedAt: now - 1 })
    expect(planJobEvent(known(running, null, onR), event, context)).toEqual([])
  })

  it('does not believe that a runner runs which was never minted', () => {
    const claimed = boundOf(
      { ...jobA, state: 'claimed' },
      { id: 11, forgeRunnerName: 'r', runnerId: 21 },
      'claimed',
    )
    const event = aJobEvent(jobA, 'in_progress', { runnerName: 'r' })
    expect(planJobEvent(known(claimed.job, claimed, claimed), event, context)).toEqual([])
  })

  it('exchanges the jobs of two runners', () => {
    const plan = planJobEvent(
      known(jobB, onS, onR),
      aJobEvent(jobB, 'in_progress', { runnerName: 'r' }),
      context,
    )
    const after = applied(plan, [onR, onS])
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
    const plan = planJobEvent(
      known(free, null, onR),
      aJobEvent(free, 'in_progress', { runnerName: 'r' }),
      context,
    )
    expect(byId(applied(plan, [onR], [free]).jobs)).toMatchObject([
      { id: 1, state: 'queued', requeues: 0 },
      { id: 2, state: 'running' },
    ])
  })

  it('takes the job away from an attempt when a foreign runner runs it, with the event as proof', () => {
    const event = aJobEvent(jobA, 'in_progress', { runnerName: 'theirs' })
    const plan = planJobEvent(known(jobA, onR, null), event, context)
    expect(evidenceIn(plan)).toEqual([{ kind: 'forge-word', record: event }])
    const after = applied(plan, [onR])
    expect(after.attempts).toMatchObject([{ state: 'ended', endReason: 'taken-elsewhere', evidenceId: 900 }])
    expect(after.jobs).toMatchObject([{ state: 'running', executor: 'theirs' }])
    // Not freed, and looked at when it had time to leave.
    expect(after.runners).toMatchObject([{ state: 'claimed', checkAt: now + goodbyeMs }])
  })

  it('adopts a live runner whose attempt was given up', () => {
    const queued = { ...jobA, state: 'queued' as const }
    const givenUp = ended(onR)
    const event = aJobEvent(queued, 'in_progress', { runnerName: 'r' })
    const after = applied(planJobEvent(known(queued, null, givenUp), event, context), [givenUp], [queued])
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
    const event = aJobEvent(queued, 'in_progress', { runnerName: 'r' })
    const plan = planJobEvent({ ...known(queued, null, givenUp), runnerHasOpenAttempt }, event, context)
    expect(plan.map(({ on }) => on)).toEqual(['job'])
  })
})

describe('planWord: an end', () => {
  it('ends job and attempt together, with the event as proof', () => {
    const event = aJobEvent(jobA, 'completed', { runnerName: 'r', completedAt: now })
    const after = applied(planJobEvent(known(jobA, onR, onR), event, context), [onR])
    expect(after.jobs).toMatchObject([{ state: 'completed', conclusion: 'success', forgeCompletedAt: now }])
    expect(after.attempts).toMatchObject([{ state: 'ended', endReason: 'finished', evidenceId: 900 }])
  })

  it('makes up for the start that was lost', () => {
    const event = aJobEvent(jobB, 'completed', { runnerName: 'r' })
    const after = applied(planJobEvent(known(jobB, onS, onR), event, context), [onR, onS])
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
    const event = aJobEvent(free, 'completed', { runnerName: 'r' })
    const after = applied(planJobEvent(known(free, null, minted), event, context), [minted], [free])
    expect(after.attempts).toMatchObject([{ state: 'ended', endReason: 'finished', jobId: 2 }])
    expect(after.runners).toMatchObject([{ state: 'busy' }])
  })

  it('frees a runner that was given nothing yet', () => {
    const claimed = boundOf(
      { ...jobA, state: 'claimed' },
      { id: 11, forgeRunnerName: 'r', runnerId: 21 },
      'claimed',
    )
    const event = aJobEvent(jobA, 'completed', { conclusion: 'cancelled' })
    const after = applied(planJobEvent(known(claimed.job, claimed, null), event, context), [claimed])
    expect(after.runners).toMatchObject([{ state: 'polling' }])
    expect(after.jobs).toMatchObject([{ state: 'cancelled' }])
  })

  it('does not free a runner that has a JIT', () => {
    const event = aJobEvent(jobA, 'completed', { conclusion: 'cancelled' })
    const { runners } = applied(planJobEvent(known(jobA, onR, null), event, context), [onR])
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
      const event = aJobEvent(jobA, 'completed', { runnerName: 'r', conclusion, completedAt })
      const { jobs } = applied(planJobEvent(known(jobA, ran, ran), event, context), [ran])
      expect(jobs).toMatchObject([{ state, conclusion, forgeCompletedAt: completedAt }])
    },
  )

  it('of a job that never ran makes it cancelled, although the runner that was meant for it died', () => {
    const ran = { ...onR, death: { ...evicted, begunAt: before, endedAt: before } }
    const event = aJobEvent(jobA, 'completed', { runnerName: null, conclusion: 'cancelled', completedAt })
    const { jobs } = applied(planJobEvent(known(jobA, ran, null), event, context), [ran])
    expect(jobs).toMatchObject([{ state: 'cancelled' }])
  })

  it('says unknown where the forge gave no conclusion', () => {
    const event = aJobEvent(jobA, 'completed', { runnerName: 'r', conclusion: null })
    const after = applied(planJobEvent(known(jobA, onR, onR), event, context), [onR])
    expect(after.jobs).toMatchObject([{ state: 'completed', conclusion: 'unknown' }])
  })
})

function boundOf(job: Job, of: Partial<Attempt>, state: Attempt['state'] = 'delivered'): BoundAttempt {
  const deliveredAt = state === 'claimed' || state === 'minted' ? null : now - 100
  const attempt = anAttempt({ jobId: job.id, claimedJobId: job.id, state, deliveredAt, ...of })
  return { attempt, job, runner: aRunner({ id: attempt.runnerId, state: 'claimed' }), death: null }
}

function ended(bound: BoundAttempt): BoundAttempt {
  const attempt = {
    ...bound.attempt,
    state: 'ended',
    endedAt: now,
    endReason: 'never-registered',
    evidenceId: 7,
  } as const
  return { ...bound, attempt }
}

function known(job: Job, ofJob: BoundAttempt | null, ofRunner: BoundAttempt | null): KnownRows {
  const runnerHasOpenAttempt = ofRunner !== null && ofRunner.attempt.endedAt === null
  return { job, ofJob, ofRunner, runnerHasOpenAttempt }
}

function applied(plan: readonly Change[], bounds: readonly BoundAttempt[], jobs: readonly Job[] = []) {
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
