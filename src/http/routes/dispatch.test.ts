import { describe, expect, it } from 'vitest'
import { createBench } from '../../../test/support/holdfast-app.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { settled } from '../../platform/lifecycle/fakes.ts'
import type { Identity } from '../../ports/identity.ts'

const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code

describe('POST /v1/dispatch', () => {
  it('gives a runner the next job with its configuration', async () => {
    const { queue, enrol, post } = await createBench()
    const id = await queue(1)
    const secret = await enrol('linux-1')
    const answer = await post('/v1/dispatch', secret, { runner: 'linux-1' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      attempt: expect.stringMatching(/^[0-9a-f-]{36}$/),
      jit: expect.stringMatching(/^jit-of-linux-1-/),
      job: { id, url: `http://localhost/jobs/${id}` },
    })
  })

  it('gives the same answer again when the first one was lost', async () => {
    const { queue, enrol, post } = await createBench()
    await queue(1)
    const secret = await enrol('linux-1')
    const first = await (await post('/v1/dispatch', secret, { runner: 'linux-1' })).json()
    expect(await (await post('/v1/dispatch', secret, { runner: 'linux-1' })).json()).toEqual(first)
  })

  it('waits for a job that comes later', async () => {
    const { queue, enrol, post } = await createBench()
    const secret = await enrol('linux-1')
    const waiting = post('/v1/dispatch', secret, { runner: 'linux-1' })
    await settled()
    const id = await queue(1)
    expect(await (await waiting).json()).toMatchObject({ job: { id } })
  })

  it('answers 204 when no job came while it waited', async () => {
    const { clock, enrol, post } = await createBench()
    const secret = await enrol('linux-1')
    const waiting = post('/v1/dispatch', secret, { runner: 'linux-1' })
    await clock.advance(30_000)
    const answer = await waiting
    expect(answer.status).toBe(204)
    expect(await answer.text()).toBe('')
  })

  it('ends the poll when the client disconnects, and gives the job to the next poll', async () => {
    const { queue, enrol, post } = await createBench()
    const first = await enrol('linux-1')
    const second = await enrol('linux-2')
    const gone = new AbortController()
    const abandoned = post('/v1/dispatch', first, { runner: 'linux-1' }, { signal: gone.signal })
    await settled()
    gone.abort()
    expect((await abandoned).status).toBe(204)
    const id = await queue(1)
    const answer = await post('/v1/dispatch', second, { runner: 'linux-2' })
    expect(await answer.json()).toMatchObject({ job: { id } })
  })

  it('ends the earlier question of the same runner when it asks again', async () => {
    const { queue, enrol, post } = await createBench()
    const secret = await enrol('linux-1')
    const earlier = post('/v1/dispatch', secret, { runner: 'linux-1' })
    await settled()
    const later = post('/v1/dispatch', secret, { runner: 'linux-1' })
    expect((await earlier).status).toBe(204)
    await queue(1)
    expect((await later).status).toBe(200)
  })

  it('ends all polls when the app closes, and does not wait afterwards', async () => {
    const { app, enrol, post } = await createBench()
    const secret = await enrol('linux-1')
    const waiting = post('/v1/dispatch', secret, { runner: 'linux-1' })
    await settled()
    app.endWaiting()
    expect((await waiting).status).toBe(204)
    expect((await post('/v1/dispatch', secret, { runner: 'linux-1' })).status).toBe(204)
  })

  it('answers a fenced runner that it must leave', async () => {
    const { ledger, enrol, post } = await createBench()
    const secret = await enrol('linux-1')
    const runner = await ledger.findRunner('linux-1')
    await ledger.fence(runner?.id ?? 0, 'not needed', { source: 'scale' })
    const answer = await post('/v1/dispatch', secret, { runner: 'linux-1' })
    expect(answer.status).toBe(410)
    expect(await codeOf(answer)).toBe('E_RUNNER_LEAVE')
  })

  it('asks the ledger for no runner that is expected, and yet for its proof', async () => {
    const first = await createBench()
    const secret = await first.enrol('linux-1')
    const known = await first.ledger.findRunner('linux-1')
    const { post } = await createBench({
      ledger: { ...first.ledger, findRunner: () => Promise.reject(new Error('not asked')) },
      dispatch: {
        expected: () => known,
        poll: async () => ({ kind: 'nothing' }),
        ack: () => Promise.reject(new Error('not asked')),
      },
    })
    expect((await post('/v1/dispatch', secret, { runner: 'linux-1' })).status).toBe(204)
    expect((await post('/v1/dispatch', 'wrong', { runner: 'linux-1' })).status).toBe(401)
  })

  it.each([
    ['an unknown runner', 'linux-9', 'right'],
    ['a wrong secret', 'linux-1', 'wrong'],
    ['no secret', 'linux-1', 'none'],
  ])('refuses %s with the same response', async (_, runner, kind) => {
    const { enrol, post } = await createBench()
    const secret = await enrol('linux-1')
    const shown = { right: secret, wrong: 'wrong', none: undefined }[kind]
    const answer = await post('/v1/dispatch', shown, { runner })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({
      error: { code: 'E_RUNNER_REFUSED', message: 'No runner of this name with this secret is enrolled.' },
    })
  })

  it('checks a proof also where the runner is unknown, so that the time reveals nothing', async () => {
    const asked: string[] = []
    const identity: Identity = {
      provesName: true,
      of: async (runner) => {
        asked.push(runner)
        return 'whose it is'
      },
    }
    const { post } = await createBench({ identity })
    expect((await post('/v1/dispatch', 'any', { runner: 'linux-9' })).status).toBe(401)
    expect(asked).toEqual(['linux-9'])
  })

  it('names the page of the job where people reach it', async () => {
    const { queue, enrol, post } = await createBench({ publicUrl: 'https://ci.example/holdfast' })
    const id = await queue(1)
    const answer = await post('/v1/dispatch', await enrol('linux-1'), { runner: 'linux-1' })
    expect(await answer.json()).toMatchObject({ job: { url: `https://ci.example/holdfast/jobs/${id}` } })
  })

  it.each([
    ['no JSON', '{"runner": ', 'expected JSON'],
    ['a wrong type', '{"runner": 7}', 'runner: '],
    ['an unknown field', '{"runner": "a", "jit": "b"}', 'jit'],
    ['nothing', '', 'expected JSON'],
    ['a name that no ledger can hold', '{"runner": "\\u0000"}', 'runner: '],
    ['a name with a space', '{"runner": "a b"}', 'runner: '],
  ])('refuses %s with 400', async (_, body, words) => {
    const { post } = await createBench()
    const answer = await post('/v1/dispatch', 'any', body)
    expect(answer.status).toBe(400)
    const { error } = (await answer.json()) as { error: { code: string; message: string } }
    expect(error.code).toBe('E_REQUEST_INVALID')
    expect(error.message).toContain(words)
  })

  it('refuses a body above 4 KiB with 413', async () => {
    const { post } = await createBench()
    const answer = await post('/v1/dispatch', 'any', { runner: 'x'.repeat(5_000) })
    expect(answer.status).toBe(413)
    expect(await codeOf(answer)).toBe('E_REQUEST_TOO_LARGE')
  })

  it('answers 503 with Retry-After when the ledger does not answer', async () => {
    const { ledger } = await createBench()
    const down = { ...ledger, findRunner: () => Promise.reject(unavailable()) }
    const { post } = await createBench({ ledger: down })
    const answer = await post('/v1/dispatch', 'any', { runner: 'linux-1' })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(await codeOf(answer)).toBe('E_LEDGER_UNAVAILABLE')
  })
})

describe('a runner that is not known by a proof yet', () => {
  /** The proof of a pod is `<name>/<uid>`. */
  const pods: Identity = {
    provesName: true,
    of: async (runner, proof) => (proof.startsWith(`${runner}/`) ? `hash of ${proof}` : null),
  }

  it('is bound to the first pod that proves its identity, at every poll', async () => {
    const { ledger, queue, enrolUnbound, post } = await createBench({ identity: pods })
    await queue(1)
    await enrolUnbound('linux-1')
    const answer = await post('/v1/dispatch', 'linux-1/a', { runner: 'linux-1' })
    expect(answer.status).toBe(200)
    expect((await ledger.findRunner('linux-1'))?.identityHash).toBe('hash of linux-1/a')
    const { attempt } = (await answer.json()) as { attempt: string }
    const ack = await post('/v1/dispatch/ack', 'linux-1/a', { runner: 'linux-1', attempt })
    expect(ack.status).toBe(200)
  })

  it('accepts no other pod afterwards, whatever its name', async () => {
    const { queue, enrolUnbound, post } = await createBench({ identity: pods })
    await queue(1)
    await enrolUnbound('linux-1')
    await post('/v1/dispatch', 'linux-1/a', { runner: 'linux-1' })
    for (const proof of ['linux-1/b', 'linux-2/a', 'garbage']) {
      expect((await post('/v1/dispatch', proof, { runner: 'linux-1' })).status, proof).toBe(401)
    }
  })

  it('is bound to the first of two pods that prove it at the same time', async () => {
    const { ledger, queue, enrolUnbound, post } = await createBench({ identity: pods })
    await queue(1)
    await enrolUnbound('linux-1')
    const row = await ledger.findRunner('linux-1')
    const late = { ...ledger, findRunner: async () => row } // it read the row before the first was bound
    await post('/v1/dispatch', 'linux-1/a', { runner: 'linux-1' })
    const second = await createBench({ identity: pods, ledger: late })
    expect((await second.post('/v1/dispatch', 'linux-1/b', { runner: 'linux-1' })).status).toBe(401)
  })

  it('is not bound by a secret, which proves no identity', async () => {
    const { ledger, enrolUnbound, post } = await createBench()
    await enrolUnbound('linux-1')
    expect((await post('/v1/dispatch', 'any', { runner: 'linux-1' })).status).toBe(401)
    expect((await ledger.findRunner('linux-1'))?.identityHash).toBeNull()
  })

  it('admits no pod while proofs cannot be checked, and answers that it may retry', async () => {
    const identity: Identity = {
      provesName: true,
      of: () =>
        Promise.reject(
          new HoldfastError('E_CLUSTER_UNREACHABLE', { call: 'x', reason: 'y', outcomeUnknown: false }),
        ),
    }
    const { enrolUnbound, post } = await createBench({ identity })
    await enrolUnbound('linux-1')
    const answer = await post('/v1/dispatch', 'linux-1/a', { runner: 'linux-1' })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
  })
})

describe('POST /v1/dispatch/ack', () => {
  it('takes the acknowledgement of the runner that holds the attempt, also twice', async () => {
    const { ledger, queue, enrol, post } = await createBench()
    await queue(1)
    const secret = await enrol('linux-1')
    const answer = await post('/v1/dispatch', secret, { runner: 'linux-1' })
    const { attempt } = (await answer.json()) as { attempt: string }
    for (const _ of [1, 2]) {
      const ack = await post('/v1/dispatch/ack', secret, { runner: 'linux-1', attempt })
      expect(ack.status).toBe(200)
      expect(await ack.json()).toEqual({ acknowledged: true })
    }
    expect(ledger.rows.attempts.get(1)?.state).toBe('acknowledged')
  })

  it('does not accept the acknowledgement of another runner', async () => {
    const { ledger, queue, enrol, post } = await createBench()
    await queue(1)
    const secret = await enrol('linux-1')
    const other = await enrol('linux-2')
    const answer = await post('/v1/dispatch', secret, { runner: 'linux-1' })
    const { attempt } = (await answer.json()) as { attempt: string }
    const ack = await post('/v1/dispatch/ack', other, { runner: 'linux-2', attempt })
    expect(ack.status).toBe(410)
    expect(await codeOf(ack)).toBe('E_ATTEMPT_LOST')
    expect(ledger.rows.attempts.get(1)?.state).toBe('delivered')
  })

  it('says 410 when the attempt was lost between the look and the write', async () => {
    const bench = await createBench()
    await bench.queue(1)
    const secret = await bench.enrol('linux-1')
    const { attempt } = (await (await bench.post('/v1/dispatch', secret, { runner: 'linux-1' })).json()) as {
      attempt: string
    }
    const { post } = await createBench({
      ledger: bench.ledger,
      dispatch: {
        expected: () => null,
        poll: () => Promise.reject(new Error('not asked')),
        ack: async () => ({ kind: 'lost' }),
      },
    })
    expect((await post('/v1/dispatch/ack', secret, { runner: 'linux-1', attempt })).status).toBe(410)
  })

  it('refuses an attempt that is no handle', async () => {
    const { post } = await createBench()
    const answer = await post('/v1/dispatch/ack', 'any', { runner: 'linux-1', attempt: '7' })
    expect(answer.status).toBe(400)
  })
})

function unavailable(): HoldfastError {
  return new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'connection refused', outcomeUnknown: false })
}
