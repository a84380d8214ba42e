import { describe, expect, it } from 'vitest'
import type { ApiResponse } from './call.ts'
import { unavailable } from './call.ts'
import { patient } from './patient.ts'
import type { Sending } from './send.ts'

const never = new AbortController().signal
const question: Sending = {
  method: 'GET',
  path: '/x',
  bearer: 'b',
  account: 'a',
  purpose: 'resync',
}
const answer = (body: unknown): ApiResponse => ({ status: 200, headers: new Headers(), body, at: 0 })
const silence = unavailable('GET /x', 'it answered 502')

/** Answers with these in order; throws those that are errors. */
function scripted(...answers: (ApiResponse | Error)[]) {
  const left = [...answers]
  const pausesMs: number[] = []
  const send = patient(
    async () => {
      const next = left.shift() as ApiResponse | Error
      if (next instanceof Error) throw next
      return next
    },
    { sleep: async (ms) => void pausesMs.push(ms) },
  )
  return { send, pausesMs, left }
}

describe('a read of a resync without an answer', () => {
  it('is retried with a growing back-off', async () => {
    const { send, pausesMs } = scripted(silence, silence, answer('ok'))
    expect((await send(question, never)).body).toBe('ok')
    expect(pausesMs).toEqual([250, 500])
  })

  it('is retried where the answer was empty', async () => {
    const { send } = scripted(answer(undefined), answer('ok'))
    expect((await send(question, never)).body).toBe('ok')
  })

  it('fails after the third attempt', async () => {
    const { send, left } = scripted(silence, silence, silence, answer('too late'))
    await expect(send(question, never)).rejects.toBe(silence)
    expect(left).toHaveLength(1)
  })

  it('is not retried after the caller gave up', async () => {
    const { send, left } = scripted(silence, answer('too late'))
    await expect(send(question, AbortSignal.abort())).rejects.toBe(silence)
    expect(left).toHaveLength(1)
  })
})

describe('a call with another purpose, or a write', () => {
  it.each([
    { ...question, purpose: 'dispatch' as const },
    { ...question, purpose: 'recovery' as const },
    { ...question, method: 'POST' },
    { ...question, method: 'DELETE' },
  ])('is sent once: $method for $purpose', async (other) => {
    const { send, left } = scripted(silence, answer('again'))
    await expect(send(other, never)).rejects.toBe(silence)
    expect(left).toHaveLength(1)
  })
})
