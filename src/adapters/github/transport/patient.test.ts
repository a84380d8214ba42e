import { describe, expect, it } from 'vitest'
import type { Answer } from './call.ts'
import { unavailable } from './call.ts'
import { patient } from './patient.ts'
import type { Sending } from './send.ts'

const never = new AbortController().signal
const question: Sending = {
  ...{ method: 'GET', path: '/x', bearer: 'b', account: 'a' },
  purpose: 'sweep',
}
const answer = (body: unknown): Answer => ({ status: 200, headers: new Headers(), body, at: 0 })
const silence = unavailable('GET /x', 'it answered 502')

/** Gives these in turn; what is an error is thrown. */
function scripted(...turns: (Answer | Error)[]) {
  const left = [...turns]
  const pausesMs: number[] = []
  const send = patient(
    async () => {
      const next = left.shift() as Answer | Error
      if (next instanceof Error) throw next
      return next
    },
    { sleep: async (ms) => void pausesMs.push(ms) },
  )
  return { send, pausesMs, left }
}

describe('a question of a sweep that found no answer', () => {
  it('is asked again, after a little longer each time', async () => {
    const { send, pausesMs } = scripted(silence, silence, answer('told'))
    expect((await send(question, never)).body).toBe('told')
    expect(pausesMs).toEqual([250, 500])
  })

  it('is asked again where the answer was empty', async () => {
    const { send } = scripted(answer(undefined), answer('told'))
    expect((await send(question, never)).body).toBe('told')
  })

  it('is given up after the third time', async () => {
    const { send, left } = scripted(silence, silence, silence, answer('too late'))
    await expect(send(question, never)).rejects.toBe(silence)
    expect(left).toHaveLength(1)
  })

  it('is not asked again once nobody waits for it', async () => {
    const { send, left } = scripted(silence, answer('too late'))
    await expect(send(question, AbortSignal.abort())).rejects.toBe(silence)
    expect(left).toHaveLength(1)
  })
})

describe('a question that is no sweep’s, or that changes something', () => {
  it.each([
    { ...question, purpose: 'dispatch' as const },
    { ...question, purpose: 'recovery' as const },
    { ...question, method: 'POST' },
    { ...question, method: 'DELETE' },
  ])('is asked once: $method for $purpose', async (other) => {
    const { send, left } = scripted(silence, answer('again'))
    await expect(send(other, never)).rejects.toBe(silence)
    expect(left).toHaveLength(1)
  })
})
