import { describe, expect, it } from 'vitest'
import { whyNotReady } from './readiness.ts'

const server = (parts: readonly object[]) => async () =>
  Response.json({ ready: parts.length === 0, parts }, { status: parts.length === 0 ? 200 : 503 })
const client = { url: 'http://127.0.0.1:1', token: undefined }

describe('why a server is not ready', () => {
  it('joins the reasons without the period that each ends with', async () => {
    const fetch = server([
      { name: 'ledger', ready: false, why: 'The ledger did not answer: it is starting up.' },
      { name: 'forge', ready: false },
    ])
    expect(await whyNotReady(client, { fetch })).toBe('The ledger did not answer: it is starting up; forge')
  })

  it('has no reason where the server is ready', async () => {
    expect(await whyNotReady(client, { fetch: server([]) })).toBeNull()
  })
})
