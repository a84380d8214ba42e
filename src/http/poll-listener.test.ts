import { describe, expect, it } from 'vitest'
import { createBench } from '../../test/support/holdfast-app.ts'
import { untilTestEnds } from '../../test/support/until-test-ends.ts'
import { ManualClock } from '../platform/lifecycle/fakes.ts'
import { serve } from './index.ts'

async function start() {
  const bench = await createBench()
  const serving = await serve(bench.app, {
    host: '127.0.0.1',
    port: 0,
    drainMs: 1_000,
    clock: new ManualClock(),
  })
  untilTestEnds({ [Symbol.asyncDispose]: () => serving.close() })
  const secret = await bench.enrol('linux-1')
  return { ...bench, serving, secret }
}

/** The response that a client sees, without the headers of the connection. */
async function seen(answer: Response) {
  const added = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']
  const headers = [...answer.headers].filter(([name]) => !added.includes(name)).sort()
  return { status: answer.status, headers, text: await answer.text() }
}

const question = (secret: string, body: string): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${secret}` },
  body,
})

describe('the question that a fleet holds open', () => {
  it.each([
    ['a runner that must leave', 'right', '{"runner":"linux-1"}'],
    ['a wrong secret', 'wrong', '{"runner":"linux-1"}'],
    ['what is no JSON', 'right', '{"runner": '],
    ['nothing at all', 'right', ''],
    ['a field that nobody knows', 'right', '{"runner":"linux-1","jit":"a"}'],
    ['more than a runner has to say', 'right', JSON.stringify({ runner: 'a'.repeat(5_000) })],
  ])('is answered over a connection as by the app: %s', async (_, kind, body) => {
    const { ask, ledger, serving, secret } = await start()
    const runner = await ledger.findRunner('linux-1')
    await ledger.fence(runner?.id ?? 0, 'not needed', { source: 'scale' })
    const init = question(kind === 'right' ? secret : 'wrong', body)
    const byApp = await seen(await ask('/v1/dispatch', init))
    expect(await seen(await fetch(`${serving.url}/v1/dispatch`, init))).toEqual(byApp)
    expect(byApp.status).toBeGreaterThanOrEqual(400)
  })

  it('is answered with a job, the same again, and its page where the question came to', async () => {
    const { queue, ask, serving, secret } = await start()
    const id = await queue(1)
    const init = question(secret, '{"runner":"linux-1"}')
    const first = await seen(await fetch(`${serving.url}/v1/dispatch`, init))
    expect(JSON.parse(first.text)).toMatchObject({ job: { id, url: `${serving.url}/jobs/${id}` } })
    const byApp = await seen(await ask('/v1/dispatch', init))
    expect(first).toEqual({ ...byApp, text: byApp.text.replace('http://localhost', serving.url) })
  })
})
