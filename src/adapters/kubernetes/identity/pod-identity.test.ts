import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../platform/lifecycle/fakes.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { createPodIdentity, type PodIdentityOptions } from './index.ts'

const never = new AbortController().signal
const path = '/apis/authentication.k8s.io/v1/tokenreviews'
const extra = (name = 'linux-1', uid = 'uid-1') => ({
  'authentication.kubernetes.io/pod-name': [name],
  'authentication.kubernetes.io/pod-uid': [uid],
})
const user = { username: 'system:serviceaccount:ci:runner', extra: extra() }
const good = { authenticated: true, audiences: ['holdfast'], user }
const hash = createHash('sha256').update('ci/linux-1/uid-1').digest('hex')
const tokenUntil = (endMs: number, mark = '') =>
  `head.${Buffer.from(JSON.stringify({ exp: endMs / 1_000, mark })).toString('base64url')}.signature`

/** A server that gives every TokenReview the same answer, and counts them. */
async function withReviews(over: Partial<PodIdentityOptions> = {}) {
  const { api, cluster } = await bench()
  const clock = new ManualClock()
  await clock.advance(1_000_000)
  const reply: { answer: unknown; hold: Promise<void> | null } = { answer: good, hold: null }
  api.faults.push((request, response) => {
    if (request.path !== path) return true
    const answer = { kind: 'TokenReview', metadata: {}, status: reply.answer }
    void (reply.hold ?? Promise.resolve()).then(() =>
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    )
    return false
  })
  const identity = createPodIdentity({ cluster, clock, namespace: 'ci', audience: 'holdfast', ...over })
  const token = tokenUntil(clock.now() + 3_600_000)
  const ask = (runner = 'linux-1', shown = token, signal = never) => identity.of(runner, shown, signal)
  return { api, clock, reply, ask, token, reviews: () => api.requests.length }
}

describe('a pod proves its identity', () => {
  it('by a token that the API server reviews for our audience', async () => {
    const { api, ask, token } = await withReviews()
    expect(await ask()).toBe(hash)
    expect(api.requests).toMatchObject([
      {
        method: 'POST',
        path: path,
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token, audiences: ['holdfast'] },
        },
      },
    ])
  })

  it('as itself only', async () => {
    const { ask } = await withReviews()
    expect(await ask('linux-2')).toBeNull()
  })

  it.each<[string, unknown]>([
    ['is not authenticated', { ...good, authenticated: false }],
    ['is nearly authenticated', { ...good, authenticated: 'true' }],
    ['failed', { authenticated: false, error: 'token expired' }],
    ['says nothing', {}],
    ['names another audience', { ...good, audiences: ['https://kubernetes'] }],
    ['names no audience', { ...good, audiences: undefined }],
    [
      'is of another namespace',
      { ...good, user: { ...user, username: 'system:serviceaccount:other:runner' } },
    ],
    ['is of a user', { ...good, user: { ...user, username: 'ci' } }],
    [
      'is of a name that looks like ours',
      { ...good, user: { ...user, username: 'x:serviceaccount:ci:runner' } },
    ],
    ['is of a name with more parts', { ...good, user: { ...user, username: `${user.username}:x` } }],
    ['is bound to no pod', { ...good, user: { ...user, extra: {} } }],
    ['has no UID', { ...good, user: { ...user, extra: extra('linux-1', '') } }],
    [
      'names two pods',
      {
        ...good,
        user: { ...user, extra: { ...extra(), 'authentication.kubernetes.io/pod-name': ['a', 'linux-1'] } },
      },
    ],
  ])('and is refused where the review %s', async (_, answer) => {
    const { ask, reply } = await withReviews()
    reply.answer = answer
    expect(await ask()).toBeNull()
  })

  it('as another one when it was made again under the same name', async () => {
    const { ask, reply, clock } = await withReviews()
    const first = await ask()
    reply.answer = { ...good, user: { ...user, extra: extra('linux-1', 'uid-2') } }
    expect(await ask('linux-1', tokenUntil(clock.now() + 3_600_000, 'new'))).not.toBe(first)
  })
})

describe('a review', () => {
  it('is valid for a minute where pods are not watched', async () => {
    const { ask, reply, clock, reviews } = await withReviews()
    await ask()
    reply.answer = { authenticated: false }
    await clock.advance(59_000)
    expect(await ask()).toBe(hash)
    expect(reviews()).toBe(1)
    await clock.advance(1_000)
    expect(await ask()).toBeNull()
  })

  it('holds until shortly before its token expires where the pod is seen, without a request', async () => {
    const { ask, clock, reviews } = await withReviews({ isSeen: () => true })
    for (let minute = 0; minute < 59; minute += 1) {
      expect(await ask()).toBe(hash)
      await clock.advance(60_000)
    }
    expect(reviews()).toBe(1)
    await clock.advance(56_000)
    await ask()
    expect(reviews()).toBe(2)
  })

  it('is asked for again at once where the pod was seen and is not seen any more', async () => {
    let isThere = true
    const { ask, reply, reviews } = await withReviews({ isSeen: () => isThere })
    await ask()
    isThere = false
    expect(await ask()).toBe(hash) // the API server has not noticed yet
    reply.answer = { authenticated: false }
    expect(await ask()).toBeNull()
    expect(reviews()).toBe(3)
  })

  it('does not hold beyond the expiry of its token', async () => {
    const { ask, clock, reviews } = await withReviews()
    const short = tokenUntil(clock.now() + 20_000)
    await ask('linux-1', short)
    await clock.advance(14_000)
    await ask('linux-1', short)
    expect(reviews()).toBe(1)
    await clock.advance(2_000)
    await ask('linux-1', short)
    expect(reviews()).toBe(2)
  })

  it('that refuses is remembered for some seconds only', async () => {
    const { ask, reply, clock, reviews } = await withReviews()
    reply.answer = { authenticated: false }
    for (const _ of [1, 2, 3]) expect(await ask('linux-1', 'garbage')).toBeNull()
    expect(reviews()).toBe(1)
    reply.answer = good
    await clock.advance(5_000)
    expect(await ask('linux-1', 'garbage')).toBe(hash)
  })

  it('serves all requests that wait for it, and goes on when one of them is aborted', async () => {
    const { ask, reply, reviews, token } = await withReviews()
    let release = (): void => undefined
    reply.hold = new Promise((resolve) => {
      release = resolve
    })
    const gone = new AbortController()
    const left = ask('linux-1', token, gone.signal).catch((error: unknown) => error)
    const others = [ask(), ask('linux-2')]
    gone.abort(new Error('gone'))
    expect(await left).toMatchObject({ message: 'gone' })
    release()
    expect(await Promise.all(others)).toEqual([hash, null])
    expect(reviews()).toBe(1)
  })

  it('without an answer admits no pod, is a retryable error, and is not cached', async () => {
    const { ask, api } = await withReviews()
    const fault = (_: unknown, response: Parameters<typeof status>[0]) =>
      void status(response, 503, 'ServiceUnavailable', 'starting')
    api.faults.unshift(fault)
    await expect(ask()).rejects.toMatchObject({ code: 'E_CLUSTER_UNREACHABLE', entry: { retryable: true } })
    api.faults.shift()
    expect(await ask()).toBe(hash)
  })

  it('that is no review is an error', async () => {
    const { ask, reply } = await withReviews()
    reply.answer = null
    await expect(ask()).rejects.toMatchObject({ code: 'E_CLUSTER_ANSWER' })
  })

  it('is not asked for by more than 16 at once; the others wait for their turn', async () => {
    const { ask, reply, reviews } = await withReviews()
    let release = (): void => undefined
    reply.hold = new Promise((resolve) => {
      release = resolve
    })
    const asked = Array.from({ length: 100 }, (_, index) => ask('linux-1', `token-${index}`))
    await expect.poll(reviews).toBe(16)
    release()
    expect(new Set(await Promise.all(asked))).toEqual(new Set([hash]))
    expect(reviews()).toBe(100)
  })
})

describe('a concurrency limit', () => {
  const limitOf = (clock = new ManualClock()) =>
    createConcurrencyLimit({ subject: 'reviews', atOnceMax: 1, waitingMax: 1, waitMaxMs: 1_000, clock })

  it('refuses a caller that finds the queue full, and serves the others in order', async () => {
    const pass = limitOf()
    const held = Promise.withResolvers<string>()
    const first = pass(() => held.promise)
    const second = pass(async () => 'second')
    await expect(pass(async () => 'third')).rejects.toMatchObject({ code: 'E_OVERLOADED' })
    held.resolve('first')
    expect(await Promise.all([first, second])).toEqual(['first', 'second'])
    expect(await pass(async () => 'fourth')).toBe('fourth')
  })

  it('serves the next caller also where the work before failed', async () => {
    const pass = limitOf()
    const first = pass(() => Promise.reject(new Error('failed')))
    const second = pass(async () => 'second')
    await expect(first).rejects.toThrow('failed')
    expect(await second).toBe('second')
  })

  it('does no work for a caller that waited too long', async () => {
    const clock = new ManualClock()
    const pass = limitOf(clock)
    const held = Promise.withResolvers<void>()
    const first = pass(() => held.promise)
    let hasWorked = false
    const second = pass(async () => {
      hasWorked = true
    }).catch((error: unknown) => error)
    await clock.advance(1_001)
    held.resolve()
    await first
    expect(await second).toMatchObject({ code: 'E_OVERLOADED' })
    expect(hasWorked).toBe(false)
  })
})
