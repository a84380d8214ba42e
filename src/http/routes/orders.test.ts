import { describe, expect, it } from 'vitest'
import { createBench, emptyResync, operatorToken } from '../../../test/support/holdfast-app.ts'
import { jobFileSchema, orderAnswerSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { OrderAnswer } from '../../ports/forge.ts'
import type { HttpDeps } from '../deps.ts'

type ErrorAnswer = { error: { code: string; message: string } }
const bearer = { authorization: `Bearer ${operatorToken}` }

/** A forge that answers every order alike, and keeps what it was asked. */
function forgeThat(answer: OrderAnswer | Error, log: string | null = null) {
  const asked: unknown[] = []
  const order = (name: string) => async (scope: object, id: number) => {
    asked.push([name, scope, id])
    if (answer instanceof Error) throw answer
    return answer
  }
  const forge: HttpDeps['forge'] = {
    rerunJob: order('rerunJob'),
    rerunFailedJobs: order('rerunFailedJobs'),
    cancelRun: order('cancelRun'),
    readLog: async () => log,
    readJobDetail: async () => null,
    readRunJobs: async () => [],
    readJob: async () => null,
    resync: async () => emptyResync(''),
    budget: async () => ({ budget: null, pausedUntil: null }),
  }
  return { forge, asked }
}

const scope = { installation: 'contract', repository: 'acme/web' }
const post = { method: 'POST', headers: bearer }

describe('orders about a job', () => {
  it.each([
    ['rerun', 'rerun', ['rerunJob', scope, 11]],
    ['rerun?failed=true', 'rerun-failed', ['rerunFailedJobs', scope, 5]],
    ['cancel', 'cancel', ['cancelRun', scope, 5]],
  ])(
    "POST …/%s goes to the forge by its numbers, and stands in the job's file",
    async (path, order, call) => {
      const { forge, asked } = forgeThat({ kind: 'done' })
      const { ask, queue } = await createBench({ forge })
      const id = await queue(11, { runId: 5 })
      const answer = await ask(`/v1/jobs/contract:11/${path}`, post)
      expect(answer.status).toBe(200)
      expect(orderAnswerSchema.parse(await answer.json())).toEqual({
        order,
        job: id,
        run: 5,
        repository: 'acme/web',
        name: 'test',
      })
      expect(asked).toEqual([call])
      const file = jobFileSchema.parse(await (await ask(`/v1/jobs/${id}`)).json())
      expect(file.decisions).toMatchObject([{ rule: 'operator', outcome: `${order}: done` }])
    },
  )

  it.each([
    ['refused', 'E_ORDER_REFUSED', 'The forge refused to run it again (job 1): already running'],
    ['unsupported', 'E_ORDER_UNSUPPORTED', 'This forge cannot run it again (job 1): already running'],
  ] as const)(
    'that the forge has %s are a 409 with its reason, and on record',
    async (kind, code, message) => {
      const { forge } = forgeThat({ kind, reason: 'already running' })
      const { ask, queue } = await createBench({ forge })
      await queue(11)
      const answer = await ask('/v1/jobs/1/rerun', post)
      expect([answer.status, ((await answer.json()) as ErrorAnswer).error]).toEqual([
        409,
        expect.objectContaining({ code, message }),
      ])
      const file = jobFileSchema.parse(await (await ask('/v1/jobs/1')).json())
      expect(file.decisions[0]?.outcome).toBe(`rerun: ${kind}, already running`)
    },
  )

  it('are a 503 where the forge does not answer, and not on record as done', async () => {
    const away = new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'cancelRun', why: 'a test' })
    const { ask, queue } = await createBench({ forge: forgeThat(away).forge })
    await queue(11)
    expect((await ask('/v1/jobs/1/cancel', post)).status).toBe(503)
    expect(jobFileSchema.parse(await (await ask('/v1/jobs/1')).json()).decisions).toEqual([])
  })

  it('need the token and a job that is known', async () => {
    const { forge, asked } = forgeThat({ kind: 'done' })
    const { ask, queue } = await createBench({ forge })
    await queue(11)
    for (const order of ['rerun', 'cancel']) {
      expect((await ask(`/v1/jobs/1/${order}`, { method: 'POST' })).status, order).toBe(401)
      expect((await ask(`/v1/jobs/2/${order}`, post)).status, order).toBe(404)
      expect((await ask(`/v1/jobs/x/${order}`, post)).status, order).toBe(400)
    }
    expect((await ask('/v1/jobs/1/rerun?failed=perhaps', post)).status).toBe(400)
    expect(asked).toEqual([])
  })
})

describe('GET /v1/jobs/:job/log', () => {
  const logOf = async (log: string | null) => {
    const { ask, queue } = await createBench({ forge: forgeThat({ kind: 'done' }, log).forge })
    await queue(11)
    return (headers: Record<string, string> = bearer) => ask('/v1/jobs/1/log', { headers })
  }

  it('gives the log as plain text, without what looks like a secret', async () => {
    const answer = await (await logOf('line 1\n<b>line 2</b>\ntoken ghp_abcdefghijklmnopqrst\n'))()
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(await answer.text()).toBe('line 1\n<b>line 2</b>\ntoken [redacted]\n')
  })

  it('needs the token also on a loopback address, because others should not see what jobs write', async () => {
    const ask = await logOf('x')
    expect((await ask({})).status).toBe(401)
    const basic = `Basic ${Buffer.from(`me:${operatorToken}`).toString('base64')}`
    expect((await ask({ authorization: basic })).status).toBe(200)
  })

  it('gives the newest part of a long one, from the beginning of a line', async () => {
    const lines = Array.from({ length: 150_000 }, (_, index) => `line ${index}`)
    const text = await (await (await logOf(lines.join('\n')))()).text()
    expect(text.length).toBeLessThanOrEqual(1024 * 1024)
    expect(text).toMatch(/^line \d+\n/)
    expect(text.endsWith('\nline 149999')).toBe(true)
  })

  it('says 404 where the forge has none', async () => {
    const answer = await (await logOf(null))()
    expect([answer.status, ((await answer.json()) as ErrorAnswer).error.code]).toEqual([404, 'E_LOG_ABSENT'])
  })
})
