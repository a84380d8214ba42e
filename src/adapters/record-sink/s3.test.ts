import { describe, expect, it } from 'vitest'
import { aDeath, recordSinkContract } from '../../../test/contract/record-sink/index.ts'
import { clock } from '../../../test/support/machine.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createS3Sink, type S3SinkOptions } from './index.ts'
import { startStore } from './testing-store.ts'

const never = new AbortController().signal
const credentials = { accessKeyId: 'example-id', secretAccessKey: 'correct-horse-battery' }

async function makeStore(over: Partial<S3SinkOptions> = {}) {
  const store = untilTestEnds(await startStore(credentials.secretAccessKey))
  const sink = createS3Sink({
    endpoint: store.url,
    bucket: 'evidence',
    prefix: 'ci/deaths',
    region: 'eu-central-1',
    clock,
    credentials: () => credentials,
    ...over,
  })
  const lines = async () =>
    [...store.objects]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, body]) => body.split('\n').slice(0, -1))
  return { store, sink, lines }
}

recordSinkContract('an S3-compatible store', async () => {
  const made = await makeStore()
  return {
    ...made,
    fail: async () => void made.store.faults.push(500),
    mend: async () => void made.store.faults.splice(0),
  }
})

describe('objects of records', () => {
  it('are named by day and numbers, and signed as a store demands', async () => {
    const { store, sink } = await makeStore()
    await sink.write([aDeath(7), aDeath(9), aDeath(10, { sealedAt: Date.UTC(2026, 10, 17) })], never)
    expect([...store.objects.keys()]).toEqual([
      '/evidence/ci/deaths/2026/11/16/000000000007-000000000009.jsonl',
      '/evidence/ci/deaths/2026/11/17/000000000010-000000000010.jsonl',
    ])
    expect(store.problems).toEqual([])
    expect(store.requests[0]?.headers.authorization).toMatch(
      /Credential=example-id\/\d{8}\/eu-central-1\/s3\//,
    )
  })

  it('go to AWS itself where no endpoint is named, with the session of the credentials', async () => {
    const seen: { url: string; headers: Headers }[] = []
    const sink = createS3Sink({
      bucket: 'examplebucket',
      prefix: '',
      region: 'us-east-1',
      credentials: () => ({ ...credentials, sessionToken: 'a-session' }),
      clock: { ...clock, now: () => Date.UTC(2013, 4, 24) },
      fetch: (async (url: URL, init: { headers: Headers }) => {
        seen.push({ url: String(url), headers: init.headers })
        return new Response('')
      }) as unknown as typeof fetch,
    })
    await sink.write([aDeath(1)], never)
    expect(seen[0]?.url).toBe(
      'https://examplebucket.s3.us-east-1.amazonaws.com/2026/11/16/000000000001-000000000001.jsonl',
    )
    expect(seen[0]?.headers.get('x-amz-date')).toBe('20130524T000000Z')
    expect(seen[0]?.headers.get('x-amz-security-token')).toBe('a-session')
    expect(seen[0]?.headers.get('authorization')).toMatch(
      /Credential=example-id\/20130524\/us-east-1\/s3\/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token, /,
    )
  })

  it('use the present credentials', async () => {
    let accessKeyId = 'first'
    const { store, sink } = await makeStore({ credentials: () => ({ ...credentials, accessKeyId }) })
    await sink.write([aDeath(1)], never)
    accessKeyId = 'second'
    await sink.write([aDeath(2)], never)
    expect(
      store.requests.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1]),
    ).toEqual(['first', 'second'])
  })

  it.each([500, 503, 429, 408] as const)('are retried after %s', async (status) => {
    const { store, sink } = await makeStore()
    store.faults.push(status)
    await expect(sink.write([aDeath(1)], never)).rejects.toMatchObject({
      code: 'E_SINK_FAILED',
      message: expect.stringContaining(`${status} Code${status}`),
    })
  })

  it.each([400, 403, 404, 301, 307] as const)(
    'are refused by %s, in words without secrets',
    async (status) => {
      const { store, sink } = await makeStore()
      store.faults.push(status)
      const error = await sink.write([aDeath(1)], never).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'E_SINK_REFUSED', message: expect.stringContaining(`${status}`) })
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(
        /correct-horse|example-id|Signature/,
      )
    },
  )

  it.each(['hang', 'hang-body'] as const)(
    'are given up at their deadline by a store that does %s',
    async (fault) => {
      const { store, sink } = await makeStore({
        clock: { ...clock, after: (_ms, work) => clock.after(50, work) },
      })
      store.faults.push(fault)
      await expect(sink.write([aDeath(1)], never)).rejects.toMatchObject({
        code: 'E_SINK_FAILED',
        message: expect.stringContaining('no answer within 60000 ms'),
      })
    },
  )

  it('are aborted at once at shutdown', async () => {
    const { store, sink } = await makeStore()
    const ending = new AbortController()
    store.faults.push('hang')
    const writing = sink.write([aDeath(1)], ending.signal)
    ending.abort(new Error('the end'))
    await expect(writing).rejects.toThrow('the end')
  })

  it('are retried after a connection was reset, and where nobody listens', async () => {
    const { store, sink } = await makeStore()
    store.faults.push('reset')
    await expect(sink.write([aDeath(1)], never)).rejects.toMatchObject({ code: 'E_SINK_FAILED' })
    await store[Symbol.asyncDispose]()
    await expect(sink.write([aDeath(1)], never)).rejects.toThrow('ECONNREFUSED')
  })

  it('are the same object when an answer is lost and the same records are written again', async () => {
    const { store, sink, lines } = await makeStore()
    store.faults.push('lose-answer')
    await expect(sink.write([aDeath(1), aDeath(2)], never)).rejects.toMatchObject({ code: 'E_SINK_FAILED' })
    await sink.write([aDeath(1), aDeath(2)], never)
    expect((await lines()).map((line) => JSON.parse(line).id)).toEqual([1, 2])
    expect(store.objects.size).toBe(1)
  })

  it('of a second day are not written where those of the first failed', async () => {
    const { store, sink } = await makeStore()
    store.faults.push(500)
    const records = [aDeath(1), aDeath(2, { sealedAt: Date.UTC(2026, 10, 17) })]
    await expect(sink.write(records, never)).rejects.toMatchObject({ code: 'E_SINK_FAILED' })
    expect(store.objects.size).toBe(0)
    expect(store.requests).toHaveLength(1)
  })
})
