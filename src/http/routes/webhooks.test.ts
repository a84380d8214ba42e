import { describe, expect, it, vi } from 'vitest'
import { createBench } from '../../../test/support/holdfast-app.ts'
import { HoldfastError } from '../../domain/errors/index.ts'

const json = { 'content-type': 'application/json' }
const signed = { ...json, 'x-signature': 'good', 'x-guid': 'guid-1' }
const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code

describe('POST /webhooks/forge', () => {
  it('keeps the raw body of a genuine delivery and answers 202', async () => {
    const { ask, ledger } = await createBench()
    const body = '{ "action":  "queued" }'
    const answer = await ask('/webhooks/forge', { method: 'POST', headers: signed, body })
    expect(answer.status).toBe(202)
    expect(await answer.json()).toEqual({ kind: 'stored', guid: 'guid-1' })
    expect(await ledger.pendingDeliveries(10)).toMatchObject([{ guid: 'guid-1', body }])
  })

  it('answers 202 to a repeated delivery and keeps it once', async () => {
    const { ask, ledger } = await createBench()
    await ask('/webhooks/forge', { method: 'POST', headers: signed, body: '{}' })
    const again = await ask('/webhooks/forge', { method: 'POST', headers: signed, body: '{}' })
    expect([again.status, await again.json()]).toEqual([202, { kind: 'duplicate', guid: 'guid-1' }])
    expect(await ledger.pendingDeliveries(10)).toHaveLength(1)
  })

  it('does not parse: what is no JSON is stored all the same when it is genuine', async () => {
    const { ask } = await createBench()
    const answer = await ask('/webhooks/forge', { method: 'POST', headers: signed, body: 'not JSON' })
    expect(answer.status).toBe(202)
  })

  it('refuses a bad signature with 401 and keeps nothing', async () => {
    const { ask, ledger } = await createBench()
    const headers = { ...signed, 'x-signature': 'bad' }
    const answer = await ask('/webhooks/forge', { method: 'POST', headers, body: '{}' })
    expect(answer.status).toBe(401)
    expect(await codeOf(answer)).toBe('E_WEBHOOK_REFUSED')
    expect(await ledger.pendingDeliveries(10)).toEqual([])
  })

  it('answers 503 with a time to come again where there is no room, and nothing of it is lost to the forge', async () => {
    const full = new HoldfastError('E_LEDGER_DISK_FULL', { where: 'there', lines: [] })
    const { ask } = await createBench({ receive: () => Promise.reject(full) })
    const answer = await ask('/webhooks/forge', { method: 'POST', headers: signed, body: '{}' })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await codeOf(answer)).toBe('E_LEDGER_DISK_FULL')
  })

  it('answers 200 to a ping and keeps nothing', async () => {
    const { ask, ledger } = await createBench()
    const headers = { ...signed, 'x-event': 'ping' }
    const answer = await ask('/webhooks/forge', { method: 'POST', headers, body: '{"zen":"x"}' })
    expect([answer.status, await answer.json()]).toEqual([200, { kind: 'pong' }])
    expect(await ledger.deliveries({ limit: 10 })).toEqual([])
  })

  it.each([
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/jsonp',
    'application/json-seq',
    '',
  ])(
    'refuses the content type %j with 415 before reading, also with a good signature, and counts it',
    async (type) => {
      const { ask, ledger } = await createBench()
      const headers = { ...signed, 'content-type': type }
      const answer = await ask('/webhooks/forge', { method: 'POST', headers, body: 'payload=%7B%7D' })
      const { error } = (await answer.json()) as { error: { code: string; hint: string } }
      expect([answer.status, error.code]).toEqual([415, 'E_CONTENT_TYPE'])
      expect(error.hint).toContain('application/json')
      expect(await ledger.deliveries({ limit: 10 })).toEqual([])
      expect(await (await ask('/metrics')).text()).toContain('holdfast_deliveries_total{outcome="refused"} 1')
    },
  )

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'takes the content type %s',
    async (type) => {
      const { ask } = await createBench()
      const headers = { ...signed, 'content-type': type }
      expect((await ask('/webhooks/forge', { method: 'POST', headers, body: '{}' })).status).toBe(202)
    },
  )

  it('shows no stack and no words of its own defects', async () => {
    const { ask } = await createBench({ receive: () => Promise.reject(new TypeError('x is not a function')) })
    const answer = await ask('/webhooks/forge', { method: 'POST', headers: signed, body: '{}' })
    const text = await answer.text()
    expect(answer.status).toBe(500)
    expect(text).not.toMatch(/is not a function|\bat .*:\d+|\.ts/)
  })

  it('refuses an announced body above the bound before reading it', async () => {
    let reads = 0
    const pull = () => {
      reads += 1
    }
    const body = new ReadableStream({ pull }, { highWaterMark: 0 })
    const { ask } = await createBench({ receive: () => Promise.reject(new Error('was not to be called')) })
    const answer = await ask('/webhooks/forge', {
      method: 'POST',
      headers: { ...signed, 'content-length': String(30_000_000) },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(413)
    expect(await codeOf(answer)).toBe('E_REQUEST_TOO_LARGE')
    expect(reads).toBe(0)
  })

  it('stops reading a body of unknown length at the bound', async () => {
    let bytes = 0
    const chunk = new Uint8Array(64 * 1024)
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        bytes += chunk.byteLength
        controller.enqueue(chunk)
      },
    })
    const { ask } = await createBench({ receive: () => Promise.reject(new Error('was not to be called')) })
    const init = { method: 'POST', headers: signed, body, duplex: 'half' } as RequestInit
    expect((await ask('/webhooks/forge', init)).status).toBe(413)
    expect(bytes).toBeLessThan(3 * 1024 * 1024)
  })

  it('takes a body that ends before it is whole for a bad request, not for a failure of ours', async () => {
    const { ask, log } = await createBench({
      receive: () => Promise.reject(new Error('was not to be called')),
    })
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('aborted')) })
    const init = { method: 'POST', headers: signed, body, duplex: 'half' } as RequestInit
    const answer = await ask('/webhooks/forge', init)
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'E_REQUEST_CUT'])
    expect(log.at('error')).toEqual([])
  })

  it('takes a bounded number at once and answers the others with a retry', async () => {
    const gate = Promise.withResolvers<void>()
    let underWay = 0
    const { ask } = await createBench({
      receive: async () => {
        underWay += 1
        await gate.promise
        return { kind: 'stored', guid: 'any' }
      },
    })
    const headers = { ...json, 'content-length': '2' }
    const send = () => ask('/webhooks/forge', { method: 'POST', headers, body: '{}' })
    const taken = Array.from({ length: 256 }, send)
    await vi.waitFor(() => expect(underWay).toBe(256))
    const refused = await send()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
    gate.resolve()
    expect((await Promise.all(taken)).map(({ status }) => status)).toEqual(Array(256).fill(202))
    expect((await send()).status).toBe(202)
  })
})
