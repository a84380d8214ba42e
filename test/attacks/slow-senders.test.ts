import { createHmac, randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { newPlace } from '../program/support/place.ts'
import { requestBytes, sendRaw } from '../program/support/raw-http.ts'
import { startProgram } from '../program/support/start-program.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

const secret = 'a-secret-of-the-webhook'
/** Together they announce several times what is read at once. */
const slowSockets = 300
const genuine = 20
const answerMs = 10_000

describe('clients that hold connections open and send next to nothing', { timeout: 120_000 }, () => {
  it('keep no genuine webhook out', async () => {
    const place = untilTestEnds(await newPlace())
    const env = { HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([secret]) }
    untilTestEnds(await startProgram(place, { env }))
    const flood = untilTestEnds(startFlood(place.url))
    await flood.isUp
    for (let sent = 0; sent < genuine; sent += 1) {
      const { status, body } = await sendRaw(place.url, { bytes: delivery(sent), withinMs: answerMs })
      expect({ sent, status, body }).toMatchObject({ sent, status: 202 })
    }
  })
})

/** Each says that a body follows, sends one byte of it, and comes back when it is sent away. */
function startFlood(url: string): AsyncDisposable & { readonly isUp: Promise<void> } {
  const { hostname, port } = new URL(url)
  const head =
    'POST /webhooks/forge HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2000000'
  const open = new Set<Socket>()
  const up = Promise.withResolvers<void>()
  let isOver = false
  let connected = 0
  const begin = (): void => {
    if (isOver) return
    const socket = connect(Number(port), hostname)
    open.add(socket)
    socket.on('connect', () => {
      connected += 1
      if (connected === slowSockets) up.resolve()
      socket.write(`${head}\r\n\r\nx`)
    })
    socket.on('data', () => {})
    socket.on('error', () => {}) // `close` follows
    socket.on('close', () => {
      open.delete(socket)
      setTimeout(begin, 50)
    })
  }
  for (let count = 0; count < slowSockets; count += 1) begin()
  return {
    isUp: up.promise,
    async [Symbol.asyncDispose]() {
      isOver = true
      for (const socket of open) socket.destroy()
    },
  }
}

function delivery(id: number): Buffer {
  const body = JSON.stringify({
    action: 'queued',
    workflow_job: {
      id: 5_000 + id,
      run_id: 9_000 + id,
      run_attempt: 1,
      name: 'test',
      status: 'queued',
      conclusion: null,
      labels: ['elsewhere'],
      runner_name: null,
      created_at: new Date().toISOString(),
    },
    repository: { id: 1, full_name: 'acme/web', private: true },
  })
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'workflow_job',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  return requestBytes('POST', '/webhooks/forge', headers, body)
}
