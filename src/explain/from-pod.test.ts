import { describe, expect, it } from 'vitest'
import { anEnding, now } from '../../test/support/rows.ts'
import { explanationSchema } from '../api/index.ts'
import { aPodEnd, aRunnerEnd } from '../domain/death/testing.ts'
import type { JobEvent } from '../domain/job-event/index.ts'
import type { ForeignRunner, OwnerStatus } from '../ports/foreign-runner.ts'
import { forgeReportIn } from './forge-report.ts'
import { explainJobEvent } from './from-forge.ts'
import { explainForeignRunner } from './from-pod.ts'

const owner: OwnerStatus = {
  kind: 'EphemeralRunner',
  name: 'arc-1',
  phase: 'Failed',
  reason: 'TooManyPodFailures',
  message: 'gave up',
  failures: [{ podUid: 'uid-1', at: now - 9_000 }],
  createdAt: now - 60_000,
  deletedAt: null,
  job: { repository: 'acme/web', name: 'build', runId: 31 },
}
const runner: ForeignRunner = {
  namespace: 'ci',
  pod: 'arc-1',
  state: 'gone',
  ending: null,
  events: [],
  owner,
  missing: [],
}
const ended = anEnding({
  exitCode: 139,
  endedAt: now - 5_000,
  pod: aPodEnd({ containers: [aRunnerEnd({ exitCode: 139 })] }),
})

function explained(over: Partial<ForeignRunner> = {}) {
  const result = explainForeignRunner({ ...runner, ...over }, 'ci/arc-1', now)
  expect(explanationSchema.parse(result)).toEqual(result)
  return result
}

describe('a runner that is not ours', () => {
  it('whose pod is gone has no verdict, but what its owner says', () => {
    const { verdict, isReached, summary, evidence, unknown, timeline, job } = explained()
    expect([verdict, isReached]).toEqual([null, false])
    expect(summary).toBe('The pod is gone, and no record of its end was sealed.')
    expect(evidence.map(({ text }) => text)).toEqual([
      'EphemeralRunner arc-1 is Failed: TooManyPodFailures: gave up',
      'EphemeralRunner arc-1 counts 1 failed pod.',
    ])
    expect(timeline.map(({ text }) => text)).toEqual([
      'EphemeralRunner arc-1 was made.',
      'EphemeralRunner arc-1: its pod uid-1 failed.',
    ])
    expect(unknown[0]).toBe('its exit code, its containers and its log: they went with the pod')
    expect(job).toMatchObject({ id: null, repository: 'acme/web', forge: 'run 31' })
  })

  it('that ended is judged by what is left, and it says that no record was sealed', () => {
    const { verdict, isReached, sealed, unknown, summary } = explained({ state: 'ended', ending: ended })
    expect(verdict).toMatchObject({ class: 'crash', confidence: 'likely' })
    expect([isReached, sealed]).toEqual([true, null])
    expect(summary).toBe('The pod ended 5 s ago and is still there; no record of its end was sealed.')
    expect(unknown.join('\n')).toContain('no record was sealed when it ended')
    expect(unknown.join('\n')).toContain('what the forge says about its job: it was not asked')
  })

  it('is judged with what the forge says about its job', () => {
    const event: JobEvent = {
      job: {
        installation: 'github',
        forgeJobId: 87,
        runId: 31,
        runAttempt: 1,
        visibility: 'private',
        repository: 'acme/web',
        name: 'build',
        labels: ['my-set'],
      },
      status: 'completed',
      conclusion: 'success',
      runnerName: 'arc-1',
      queuedAt: null,
      startedAt: now - 50_000,
      completedAt: now - 6_000,
    }
    const explained = explainJobEvent(event, 'https://…', now)
    const clean = anEnding({
      ...ended,
      exitCode: 0,
      pod: aPodEnd({ containers: [aRunnerEnd({ exitCode: 0 })] }),
    })
    const given = { ...runner, state: 'ended', ending: clean } as const
    const { verdict, unknown, evidence, timeline, job } = explainForeignRunner(
      given,
      'https://…',
      now,
      forgeReportIn(explained),
    )
    expect(verdict).toMatchObject({ class: 'clean', confidence: 'proven' })
    expect(explainForeignRunner(given, 'arc-1', now).verdict?.confidence).not.toBe('proven')
    expect(unknown.join()).not.toContain('forge')
    expect(evidence.at(-1)).toMatchObject({
      source: 'forge',
      text: 'The forge says that the job is completed (success).',
    })
    expect(timeline.filter(({ source }) => source === 'forge')).toHaveLength(2)
    expect(job).toMatchObject({ forge: 'github:87', said: { conclusion: 'success' } })
  })

  it('that runs has no verdict', () => {
    expect(explained({ state: 'running', ending: anEnding({ pod: aPodEnd() }) })).toMatchObject({
      verdict: null,
      isReached: false,
      summary: 'The pod is there and has not ended: nothing is to be explained yet.',
    })
  })

  it('that was asked to go and runs on says so', () => {
    const ending = anEnding({ pod: aPodEnd({ deletedAt: now - 7_000 }) })
    expect(explained({ state: 'running', ending }).summary).toBe(
      'The pod was asked to go 7 s ago, and has not ended yet.',
    )
  })

  it('of which only events are left shows the events about its end, and what they do not say', () => {
    const times = { count: 1, firstAt: now - 9_000, lastAt: now - 9_000 }
    const events = [
      { type: 'Normal', reason: 'Started', message: 'Started container runner', ...times },
      { type: 'Normal', reason: 'Killing', message: 'Stopping container runner', ...times },
    ]
    const { evidence, timeline, verdict, unknown } = explained({ owner: null, events })
    expect(verdict).toBeNull()
    expect(evidence).toMatchObject([{ source: 'cluster', text: 'Killing: Stopping container runner' }])
    expect(timeline).toHaveLength(2)
    expect(unknown.join()).toContain('who asked it to stop')
  })

  it('that does not start has a verdict that says why', () => {
    const startProblem = {
      kind: 'ImagePull',
      message: 'runner: ErrImagePull: no such image',
      since: now,
    } as const
    const containers = [aRunnerEnd({ state: 'waiting', exitCode: null, reason: 'ErrImagePull' })]
    const ending = anEnding({
      startedAt: null,
      pod: aPodEnd({ phase: 'Pending', trouble: startProblem, containers }),
    })
    const { verdict, summary } = explained({ state: 'running', ending })
    expect(verdict?.class).toBe('image-pull')
    expect(summary).toBe('The pod is there and does not get going.')
  })

  it('of whose job nothing is known says so', () => {
    const { job, unknown } = explained({ owner: { ...owner, job: null }, missing: ['its events: forbidden'] })
    expect(job).toBeNull()
    expect(unknown).toContain('which job it had')
    expect(unknown).toContain('not read: its events: forbidden')
  })
})
