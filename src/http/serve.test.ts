import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Bench, createBench } from '../../test/support/holdfast-app.ts'
import { ManualClock, settled } from '../platform/lifecycle/fakes.ts'
import { type Serving, serve, urlOf } from './index.ts'

const open: Serving[] = []
afterEach(async () => {
  for (const serving of open.splice(0)) await serving.close()
})

async function start(bench: Bench, port = 0, clock = new ManualClock()): Promise<Serving> {
  const serving = await serve(bench.app, { host: '127.0.0.1', port, drainMs: 1_000, clock })
  open.push(serving)
  return serving
}

const dispatch = (url: string, secret: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v1/dispatch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: '{"runner":"linux-1"}',
    ...(signal === undefined ? {} : { signal }),
  })

/** Resolves when the runner's question has reached the ledger. */
async function polling(bench: Bench): Promise<void> {
  while ((await bench.ledger.findRunner('linux-1'))?.state !== 'polling') await settled()
  await settled()
}

describe('serve', () => {
  it('serves on a free port and says where', async () => {
    const { url, port } = await start(await createBench())
    expect(port).toBeGreaterThan(0)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  })

  it('names the port that is in use, and what to do', async () => {
    const bench = await createBench()
    const { port } = await start(bench)
    await expect(start(bench, port)).rejects.toMatchObject({
      code: 'E_PORT_IN_USE',
      message: `Port ${port} on 127.0.0.1 is in use by another program.`,
    })
  })

  it('names an address that is not of this machine', async () => {
    const { app } = await createBench()
    const options = { host: '192.0.2.1', port: 0, drainMs: 1, clock: new ManualClock() }
    await expect(serve(app, options)).rejects.toMatchObject({ code: 'E_LISTEN_FAILED' })
  })

  it('ends the long polls when it closes', async () => {
    const bench = await createBench()
    const serving = await start(bench)
    const answer = dispatch(serving.url, await bench.enrol('linux-1'))
    await polling(bench)
    await serving.close()
    expect((await answer).status).toBe(204)
    await expect(fetch(serving.url)).rejects.toThrow()
  })

  it('cuts what still sends when the time to drain is over', async () => {
    const clock = new ManualClock()
    const serving = await start(await createBench(), 0, clock)
    const socket = connect(serving.port, '127.0.0.1')
    const ended = new Promise((resolve) => socket.on('close', resolve))
    socket.on('error', () => {})
    await new Promise<void>((resolve) => {
      socket.write(
        'POST /webhooks/forge HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n1',
        () => resolve(),
      )
    })
    await settled()
    const closed = serving.close()
    await clock.advance(1_000)
    await Promise.all([closed, ended])
  })

  it('gives the job to a runner whose first question was cut off', async () => {
    const bench = await createBench()
    const { url } = await start(bench)
    const secret = await bench.enrol('linux-1')
    const gone = new AbortController()
    const abandoned = dispatch(url, secret, gone.signal)
    await polling(bench)
    gone.abort()
    await expect(abandoned).rejects.toThrow()
    const id = await bench.queue(1)
    // As a runner does: 204 means that it asks again, here because the first question is still being answered.
    let answer = await dispatch(url, secret)
    while (answer.status === 204) answer = await dispatch(url, secret)
    expect(await answer.json()).toMatchObject({ job: { id } })
  })

  it.each([
    ['a body of 30 MB', 'application/json', 413],
    ['a large body of another type', 'application/x-www-form-urlencoded', 415],
  ])('answers %s over a real connection without reading it', async (_, type, status) => {
    const bench = await createBench({ receive: () => Promise.reject(new Error('was not to be called')) })
    const { url } = await start(bench)
    const headers = { 'content-type': type }
    const answer = await fetch(`${url}/webhooks/forge`, {
      method: 'POST',
      headers,
      body: 'x'.repeat(30_000_000),
    })
    expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'close'])
  })
})

describe('urlOf', () => {
  it('is an address that a client on this machine can reach', () => {
    expect(urlOf('0.0.0.0', 1)).toBe('http://127.0.0.1:1')
    expect(urlOf('::', 1)).toBe('http://[::1]:1')
    expect(urlOf('10.0.0.7', 1)).toBe('http://10.0.0.7:1')
  })
})
