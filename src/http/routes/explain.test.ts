import { describe, expect, it } from 'vitest'
import {
  cause,
  createBench,
  emptyResync,
  jobEventOf,
  operatorToken,
} from '../../../test/support/holdfast-app.ts'
import { explanationSchema } from '../../api/index.ts'
import { classifyDeath } from '../../domain/death/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { JobEvent } from '../../domain/job-event/index.ts'
import { forgeJobFact } from '../../domain/snapshot/testing/facts.ts'
import type { HttpDeps } from '../deps.ts'

const orders = {
  rerunJob: async () => ({ kind: 'done' }) as const,
  rerunFailedJobs: async () => ({ kind: 'done' }) as const,
  cancelRun: async () => ({ kind: 'done' }) as const,
  readLog: async () => null,
  readJobDetail: async () => null,
  readRunJobs: async () => [],
  resync: async () => emptyResync(''),
  budget: async () => ({ budget: null, pausedUntil: null }),
}
const path = (subject: string) => `/v1/explain/${encodeURIComponent(subject)}`

describe('GET /v1/explain/:subject', () => {
  it('explains what the ledger knows, in the terms of the contract', async () => {
    const bench = await createBench()
    await bench.enrol('linux-1')
    await bench.ledger.sealDeath(1, classifyDeath(null), 'vanished', cause)
    const answer = await bench.ask(path('linux-1'))
    expect(answer.status).toBe(200)
    expect(explanationSchema.parse(await answer.json())).toMatchObject({
      subject: { kind: 'runner', title: 'Runner linux-1' },
      job: null,
      isReached: false,
      sealed: { class: 'vanished', isComplete: false },
    })
  })

  it('takes a URL as a subject', async () => {
    const bench = await createBench()
    await bench.queue(87, { runId: 31 })
    const answer = await bench.ask(path('https://github.com/acme/web/actions/runs/31/job/87?pr=1#step:2:1'))
    expect(await answer.json()).toMatchObject({ job: { id: 1, forge: 'contract:87' } })
  })

  it('takes the last time that Gitea ran a job of an id', async () => {
    const about = {
      version: '0.1.0',
      installation: 'contract',
      startedAt: new Date(0).toISOString(),
      forge: { kind: 'gitea' as const, url: 'http://127.0.0.1:1' },
    }
    const bench = await createBench({ about })
    await bench.queue(17, { runId: 3 })
    await bench.queue(10 ** 12 + 17, { runId: 3 })
    const answer = await bench.ask(path('https://git.example/acme/web/actions/runs/3/jobs/17'))
    expect(await answer.json()).toMatchObject({ job: { id: 2 } })
  })

  it.each([
    ['nobody', 404, 'E_SUBJECT_UNKNOWN'],
    ['x'.repeat(501), 400, 'E_REQUEST_INVALID'],
    [' ', 400, 'E_REQUEST_INVALID'],
  ])('answers %s with %i', async (subject, status, code) => {
    const answer = await (await createBench()).ask(path(subject))
    expect([answer.status, await answer.json()]).toEqual([
      status,
      { error: expect.objectContaining({ code }) },
    ])
  })

  const url = 'https://github.com/acme/other/actions/runs/31/job/87'
  const event: JobEvent = {
    ...jobEventOf(87, { repository: 'acme/other', runId: 31, name: 'build' }),
    status: 'completed',
    conclusion: 'failure',
    runnerName: 'arc-1',
    startedAt: Date.UTC(2026, 0, 2, 3, 0),
    completedAt: Date.UTC(2026, 0, 2, 3, 1),
  }
  const withForge = async (readJob: HttpDeps['forge']['readJob']) =>
    createBench({ forge: { ...orders, readJob } })

  it('asks the forge about a job that is none of ours, and says how to go on', async () => {
    const asked: unknown[] = []
    const bench = await withForge(async (scope, id) => {
      asked.push(scope, id)
      return event
    })
    const found = explanationSchema.parse(await (await bench.ask(path(url))).json())
    expect(asked).toEqual([{ installation: 'contract', repository: 'acme/other' }, 87])
    expect(found).toMatchObject({
      verdict: null,
      isReached: false,
      runner: { name: 'arc-1', state: 'not of this Holdfast' },
      summary: 'The job is none of this Holdfast; the forge says that it is completed (failure) on arc-1.',
      job: { id: null, repository: 'acme/other', said: { status: 'completed', conclusion: 'failure' } },
      nextSteps: [`If arc-1 is a pod, read it too: holdfast explain --namespace <namespace> ${url}`],
    })
    expect(found.timeline.map(({ source }) => source)).toEqual(['forge', 'forge'])
  })

  it('judges why it failed by its steps and log, and shows the log', async () => {
    const at = Date.UTC(2026, 0, 2, 3, 0)
    const times = { status: 'completed', startedAt: at, completedAt: at + 60_000 }
    const steps = [{ number: 1, name: 'Run npm ci', conclusion: 'failure', ...times }]
    const bench = await createBench({
      forge: {
        ...orders,
        readJob: async () => event,
        readJobDetail: async () => forgeJobFact(87, { conclusion: 'failure', steps }),
        readLog: async () => 'npm error ENOSPC: no space left on device\n',
      },
    })
    const ask = async (headers = {}) =>
      explanationSchema.parse(await (await bench.ask(path(url), { headers })).json())
    expect(await ask({ authorization: `Bearer ${operatorToken}` })).toMatchObject({
      jobVerdict: { class: 'disk-full', confidence: 'likely', step: 'Run npm ci' },
      verdict: null,
      isReached: true,
      tail: 'npm error ENOSPC: no space left on device',
    })
    expect((await ask()).tail).not.toContain('npm')
  })

  it('shows every attempt of the job side by side, and takes the pass on the same commit as the result', async () => {
    const over = { status: 'completed', repository: 'acme/other', name: 'build' }
    const first = forgeJobFact(87, { ...over, conclusion: 'failure', runnerName: 'arc-1' })
    const second = forgeJobFact(91, { ...over, conclusion: 'success', runnerName: 'arc-2', runAttempt: 2 })
    const asked: unknown[] = []
    const bench = await createBench({
      forge: {
        ...orders,
        readJob: async () => event,
        readJobDetail: async () => first,
        readRunJobs: async (_, runId) => {
          asked.push(runId)
          return [first, second, forgeJobFact(92, { ...over, name: 'lint' })]
        },
      },
    })
    const found = explanationSchema.parse(await (await bench.ask(path(url))).json())
    expect(asked).toEqual([31])
    expect(found.attempts).toMatchObject({
      outcome: 'passed-on-same-commit',
      attempts: [
        { number: 1, forgeJobId: 87, runner: 'arc-1', conclusion: 'failure' },
        { number: 2, forgeJobId: 91, runner: 'arc-2', conclusion: 'success' },
      ],
    })
    expect(found.nextSteps.join()).toContain('where the attempts differ')
  })

  it('says which attempts it could not read', async () => {
    const bench = await createBench({
      forge: {
        ...orders,
        readJob: async () => event,
        readJobDetail: async () =>
          forgeJobFact(87, { status: 'completed', conclusion: 'failure', runAttempt: 2 }),
        readRunJobs: async () => {
          throw new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'readRunJobs', why: 'silence' })
        },
      },
    })
    const found = explanationSchema.parse(await (await bench.ask(path(url))).json())
    expect(found.unknown.join('\n')).toContain('the other attempts of its run: ')
    expect(found.unknown).toContain('attempt 1: the forge does not show it, or it was not read')
  })

  it('takes the newest attempt where a run of ours has one job that was run again, and no job of several', async () => {
    const bench = await createBench()
    await bench.queue(87, { runId: 31 })
    await bench.queue(91, { runId: 31, runAttempt: 2 })
    const ask = () => bench.ask(path('https://github.com/acme/web/actions/runs/31'))
    expect(await (await ask()).json()).toMatchObject({ job: { forge: 'contract:91' } })
    await bench.queue(92, { runId: 31, runAttempt: 2, name: 'lint' })
    expect(await (await ask()).json()).toMatchObject({ error: { code: 'E_SUBJECT_AMBIGUOUS' } })
  })

  it('does not take a job of another run for the one that is meant', async () => {
    const bench = await withForge(async () => ({ ...event, job: { ...event.job, runId: 32 } }))
    expect((await bench.ask(path(url))).status).toBe(404)
  })

  it('does not call unknown what the forge could not be asked about', async () => {
    const bench = await withForge(async () => {
      throw new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'readJob', why: 'silence' })
    })
    expect((await bench.ask(path(url))).status).toBe(503)
    expect((await bench.ask(path('87'))).status).toBe(404) // only a URL says whose job it is
  })

  it('needs the right to read', async () => {
    const bench = await createBench({ isLoopback: false })
    await bench.queue(1)
    expect((await bench.ask(path('1'))).status).toBe(401)
    const headers = { authorization: `Bearer ${operatorToken}` }
    expect((await bench.ask(path('1'), { headers })).status).toBe(200)
  })
})
