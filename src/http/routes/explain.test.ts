import { describe, expect, it } from 'vitest'
import { cause, createBench, emptyAudit, operatorToken, wordOf } from '../../../test/support/holdfast-app.ts'
import { explanationSchema } from '../../api/index.ts'
import type { ForgeWord } from '../../domain/binding/index.ts'
import { classifyDeath } from '../../domain/death/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../deps.ts'

const orders = {
  rerunJob: async () => ({ kind: 'done' }) as const,
  rerunFailedJobs: async () => ({ kind: 'done' }) as const,
  cancelRun: async () => ({ kind: 'done' }) as const,
  readLog: async () => null,
  audit: async () => emptyAudit(''),
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
      ...{ subject: { kind: 'runner', title: 'Runner linux-1' }, job: null, isReached: false },
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
      ...{ version: '0.1.0', installation: 'contract', startedAt: new Date(0).toISOString() },
      forge: { kind: 'gitea', url: 'http://127.0.0.1:1' },
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
  const word: ForgeWord = {
    ...wordOf(87, { repository: 'acme/other', runId: 31, name: 'build' }),
    ...{ status: 'completed', conclusion: 'failure', runnerName: 'arc-1' },
    ...{ startedAt: Date.UTC(2026, 0, 2, 3, 0), completedAt: Date.UTC(2026, 0, 2, 3, 1) },
  }
  const withForge = async (readJob: HttpDeps['forge']['readJob']) =>
    createBench({ forge: { ...orders, readJob } })

  it('asks the forge about a job that is none of ours, and says how to go on', async () => {
    const asked: unknown[] = []
    const bench = await withForge(async (scope, id) => {
      asked.push(scope, id)
      return word
    })
    const found = explanationSchema.parse(await (await bench.ask(path(url))).json())
    expect(asked).toEqual([{ installation: 'contract', repository: 'acme/other' }, 87])
    expect(found).toMatchObject({
      ...{ verdict: null, isReached: false, runner: { name: 'arc-1', state: 'not of this Holdfast' } },
      standing: 'The job is none of this Holdfast; the forge says that it is completed (failure) on arc-1.',
      job: { id: null, repository: 'acme/other', said: { status: 'completed', conclusion: 'failure' } },
      nextSteps: [`If arc-1 is a pod, read it too: holdfast explain --namespace <namespace> ${url}`],
    })
    expect(found.timeline.map(({ source }) => source)).toEqual(['forge', 'forge'])
  })

  it('does not take a job of another run for the one that is meant', async () => {
    const bench = await withForge(async () => ({ ...word, job: { ...word.job, runId: 32 } }))
    expect((await bench.ask(path(url))).status).toBe(404)
  })

  it('does not call unknown what the forge could not be asked about', async () => {
    const bench = await withForge(async () => {
      throw new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'readJob', why: 'silence' })
    })
    expect((await bench.ask(path(url))).status).toBe(503)
    expect((await bench.ask(path('87'))).status).toBe(404) // only a URL says whose job it is
  })

  it('is for who may read', async () => {
    const bench = await createBench({ isLoopback: false })
    await bench.queue(1)
    expect((await bench.ask(path('1'))).status).toBe(401)
    const headers = { authorization: `Bearer ${operatorToken}` }
    expect((await bench.ask(path('1'), { headers })).status).toBe(200)
  })
})
