import { describe, expect, it } from 'vitest'
import { createBench, emptyResync, installation, operatorToken } from '../../../test/support/holdfast-app.ts'
import {
  aboutAnswerSchema,
  forgeStatusSchema,
  incidentListSchema,
  resyncReportSchema,
} from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { HttpDeps } from '../deps.ts'

const bearer = { authorization: `Bearer ${operatorToken}` }
const disabled = {
  kind: 'actions-disabled',
  installation,
  scope: 'repository',
  key: 'acme/web',
  reason: 'GitHub Actions is disabled; token=ghp_abcdefghijklmnopqrst',
} as const

const resyncs = (resync: HttpDeps['forge']['resync']): Pick<HttpDeps, 'forge'> => ({
  forge: {
    rerunJob: async () => ({ kind: 'done' }),
    rerunFailedJobs: async () => ({ kind: 'done' }),
    cancelRun: async () => ({ kind: 'done' }),
    readLog: async () => null,
    readJobDetail: async () => null,
    readRunJobs: async () => [],
    readJob: async () => null,
    budget: async () => ({
      budget: { limit: 5000, remaining: 10, resetAt: '2026-01-02T04:00:00.000Z', pace: 'stopped' },
      pausedUntil: '2026-01-02T03:05:05.000Z',
    }),
    resync,
  },
})

describe('GET /v1/incidents', () => {
  it('lists open incidents with what they mean and what to do, without secrets', async () => {
    const { ask, ledger, clock } = await createBench()
    await ledger.raiseIncident(disabled, 60_000)
    await clock.advance(5_000)
    await ledger.raiseIncident(disabled, 60_000)
    const text = await (await ask('/v1/incidents')).text()
    expect(incidentListSchema.parse(JSON.parse(text)).incidents).toMatchObject([
      {
        kind: 'actions-disabled',
        title: 'Actions are disabled in this repository.',
        todo: expect.stringContaining('Actions, General'),
        scope: 'repository',
        key: 'acme/web',
        timesSeen: 2,
        openedAt: '2026-01-02T03:04:05.000Z',
        lastSeenAt: '2026-01-02T03:04:10.000Z',
        closedAt: null,
      },
    ])
    expect(text).not.toContain('ghp_')
  })

  it('lists what is over only as far as it is asked for', async () => {
    const { ask, ledger } = await createBench()
    await ledger.raiseIncident(disabled, 60_000)
    await ledger.liftIncident(disabled)
    const count = async (query: string) =>
      incidentListSchema.parse(await (await ask(`/v1/incidents${query}`)).json()).incidents.length
    expect([await count(''), await count('?closed=5')]).toEqual([0, 1])
    expect((await ask('/v1/incidents?closed=201')).status).toBe(400)
  })
})

describe('GET /v1/about', () => {
  it('counts open incidents', async () => {
    const { ask, ledger } = await createBench()
    await ledger.raiseIncident(disabled, 60_000)
    expect(aboutAnswerSchema.parse(await (await ask('/v1/about')).json()).openIncidents).toBe(1)
  })

  it('answers while the ledger does not', async () => {
    const { ledger } = await createBench()
    const away = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test' })
    const { ask } = await createBench({ ledger: { ...ledger, incidents: () => Promise.reject(away) } })
    expect(await (await ask('/v1/about')).json()).toMatchObject({ version: '0.1.0', openIncidents: null })
  })
})

describe('GET /v1/forge', () => {
  it('says what is left of the budget and the pace of the resyncs', async () => {
    const { ask } = await createBench(resyncs(async () => emptyResync('')))
    expect(forgeStatusSchema.parse(await (await ask('/v1/forge')).json())).toMatchObject({
      kind: 'simulated',
      budget: { limit: 5000, remaining: 10, pace: 'stopped' },
      pausedUntil: '2026-01-02T03:05:05.000Z',
    })
  })
})

describe('POST /v1/forge/resync', () => {
  const start = { method: 'POST', headers: bearer }

  it('compares now and gives the report', async () => {
    const { ask } = await createBench()
    const answer = await ask('/v1/forge/resync', start)
    expect(answer.status).toBe(200)
    expect(resyncReportSchema.parse(await answer.json())).toEqual(emptyResync('2026-01-02T03:04:05.000Z'))
  })

  it('says 503 where the forge does not answer', async () => {
    const away = new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'listJobs', why: 'a test' })
    const { ask } = await createBench(resyncs(() => Promise.reject(away)))
    expect((await ask('/v1/forge/resync', start)).status).toBe(503)
  })

  it('runs one at a time, and another after it', async () => {
    const gate = Promise.withResolvers<void>()
    const { ask } = await createBench(
      resyncs(() => gate.promise.then(() => emptyResync('2026-01-02T03:04:05.000Z'))),
    )
    const first = ask('/v1/forge/resync', start)
    expect((await ask('/v1/forge/resync', start)).status).toBe(503)
    gate.resolve()
    expect((await first).status).toBe(200)
    expect((await ask('/v1/forge/resync', start)).status).toBe(200)
  })

  it('is ended when the server closes', async () => {
    const { ask, app } = await createBench(
      resyncs(async (signal) => {
        app.endWaiting()
        signal.throwIfAborted()
        throw new Error('was not aborted')
      }),
    )
    const answer = await ask('/v1/forge/resync', start)
    expect(answer.status).toBe(503)
  })

  it('is not started without the token', async () => {
    const { ask } = await createBench(resyncs(() => Promise.reject(new Error('was started'))))
    expect((await ask('/v1/forge/resync', { method: 'POST' })).status).toBe(401)
  })
})
