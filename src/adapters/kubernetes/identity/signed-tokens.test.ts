import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../platform/lifecycle/fakes.ts'
import { status } from '../client/testing/api-server.ts'
import { bench } from '../client/testing/bench.ts'
import { createAgentIdentity, createPodIdentity, type PodIdentityOptions } from './index.ts'

const never = new AbortController().signal
const reviewsPath = '/apis/authentication.k8s.io/v1/tokenreviews'
const issuer = 'https://kubernetes.default.svc'
const startMs = 1_800_000_000_000
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })

interface Words {
  readonly head?: object
  readonly claims?: object
  readonly key?: KeyObject
}

const seconds = (offsetSeconds: number) => startMs / 1_000 + offsetSeconds
const bound = {
  namespace: 'ci',
  serviceaccount: { name: 'default', uid: 's' },
  node: { name: 'node-1', uid: 'n' },
  pod: { name: 'linux-1', uid: 'uid-1' },
}
const coded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token as an API server makes it, but for what is said otherwise. */
function token({ head = {}, claims = {}, key = rsa.privateKey }: Words = {}): string {
  const whole = {
    aud: ['holdfast'],
    iss: issuer,
    sub: 'system:serviceaccount:ci:default',
    'kubernetes.io': bound,
    exp: seconds(3_600),
    iat: seconds(-10),
    nbf: seconds(-10),
    ...claims,
  }
  const text = `${coded({ alg: 'RS256', kid: 'rsa', ...head })}.${coded(whole)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

/** An API server that publishes its keys, or does not, and counts what it is asked. */
async function withKeys(over: Partial<PodIdentityOptions> = {}) {
  const clock = new ManualClock()
  await clock.advance(startMs)
  const { api, cluster, log } = await bench({ clock })
  const server = {
    keys: { rsa: rsa.publicKey, ec: ec.publicKey } as Record<string, KeyObject>,
    refuses: null as number | null,
    isAuthenticated: true,
  }
  api.faults.push((request, response) => {
    const send = (body: object, code = 200) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.path === reviewsPath) {
      const extra = {
        'authentication.kubernetes.io/pod-name': ['linux-1'],
        'authentication.kubernetes.io/pod-uid': ['uid-1'],
      }
      const user = { username: 'system:serviceaccount:ci:default', extra }
      const answer = { authenticated: server.isAuthenticated, audiences: ['holdfast'], user }
      send({ kind: 'TokenReview', metadata: {}, status: answer }, 201)
    } else if (server.refuses !== null) status(response, server.refuses, 'Any', 'no')
    else if (request.path === '/openid/v1/jwks') {
      // As the API server does it: it gives keys to nobody who asks for plain JSON.
      if (!request.headers.accept?.includes('application/jwk-set+json')) {
        status(response, 406, 'NotAcceptable', 'only application/jwk-set+json')
        return false
      }
      const keys = Object.entries(server.keys).map(([kid, key]) => ({
        ...key.export({ format: 'jwk' }),
        kid,
      }))
      send({ keys: [...keys, { kid: 'odd', kty: 'OKP' }, { kid: 'torn', kty: 'RSA', n: 7 }, null] })
    } else send({ issuer: issuer, jwks_uri: 'https://elsewhere.example/keys' })
    return false
  })
  const identity = createPodIdentity({
    cluster,
    verify: cluster.verifyToken,
    clock,
    namespace: 'ci',
    audience: 'holdfast',
    isSeen: () => true,
    ...over,
  })
  const asked = (path: string) => api.requests.filter((request) => request.path === path).length
  return {
    api,
    cluster,
    server,
    clock,
    log,
    ask: (shown: string, runner = 'linux-1') => identity.of(runner, shown, never),
    reviews: () => asked(reviewsPath),
    readings: () => asked('/openid/v1/jwks'),
  }
}

describe('a token under the signature of the API server', () => {
  it.each<[string, Words]>([
    ['of RSA', {}],
    ['of an elliptic curve', { head: { alg: 'ES256', kid: 'ec' }, key: ec.privateKey }],
    ['for others as well', { claims: { aud: ['others', 'holdfast'] } }],
    ['that names its audience alone', { claims: { aud: 'holdfast' } }],
  ])('%s proves a pod that is seen, at no request but the first for the keys', async (_, words) => {
    const { ask, reviews, readings } = await withKeys()
    for (const __ of [1, 2, 3]) expect(await ask(token(words))).toMatch(/^[0-9a-f]{64}$/)
    expect(await ask(token(words), 'linux-2')).toBeNull()
    expect([readings(), reviews()]).toEqual([1, 0])
  })

  it('proves the same pod as a review does', async () => {
    const { ask, server, clock } = await withKeys()
    const local = await ask(token())
    server.refuses = 403
    await clock.advance(2 * 60 * 60_000)
    expect(await ask(token({ claims: { exp: seconds(9_000) } }))).toBe(local)
  })

  it('is still reviewed where its pod is not in the cache: only the API server knows whether it was deleted', async () => {
    let isThere = true
    const { ask, server, reviews } = await withKeys({ isSeen: () => isThere })
    expect(await ask(token())).not.toBeNull()
    expect(reviews()).toBe(0)
    isThere = false
    server.isAuthenticated = false
    expect(await ask(token())).toBeNull()
    expect(reviews()).toBe(1)
  })

  it.each<[string, object]>([
    ['is over by our clock', { exp: seconds(-1) }],
    ['begins later by our clock', { nbf: seconds(60) }],
    ['has no end', { exp: undefined }],
    ['is of another issuer', { iss: 'https://before.example' }],
  ])('is left to the API server where it %s', async (_, claims) => {
    const { ask, server, reviews } = await withKeys()
    server.isAuthenticated = false
    expect(await ask(token({ claims }))).toBeNull()
    expect(reviews()).toBe(1)
  })
})

describe('a token that proves nothing', () => {
  const good = token()
  const [head = '', payload = '', signature = ''] = good.split('.')
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' })
  const hmac = (text: string) => createHmac('sha256', pem).update(text).digest('base64url')
  const symmetric = `${coded({ alg: 'HS256', kid: 'rsa' })}.${payload}`
  const another = coded({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'x' })

  it.each<[string, string]>([
    ['is empty', ''],
    ['is no token', 'garbage'],
    ['is made of dots', '..'],
    ['has a fourth part', `${good}.x`],
    ['has a head that is no JSON', `x.${payload}.${signature}`],
    ['has a head that is a list', `${coded([])}.${payload}.${signature}`],
    ['is longer than any', `${good}${'A'.repeat(20_000)}`],
    ['is not signed', `${coded({ alg: 'none', kid: 'rsa' })}.${payload}.`],
    ['says that it is not signed', `${coded({ alg: 'none', kid: 'rsa' })}.${payload}.${signature}`],
    ['is signed with the public key as a secret', `${symmetric}.${hmac(symmetric)}`],
    ['names another algorithm than its key', token({ head: { alg: 'ES256' } })],
    ['names a stronger hash', token({ head: { alg: 'RS512' } })],
    ['asks for an extension', token({ head: { crit: ['exp'] } })],
    ['names no key', token({ head: { kid: undefined } })],
    ['is signed by somebody else', token({ key: stranger.privateKey })],
    ['says something else than was signed', `${head}.${another}.${signature}`],
    ['has a signature cut short', good.slice(0, -8)],
    ['is for others', token({ claims: { aud: ['https://kubernetes.default.svc'] } })],
    ['is for nobody', token({ claims: { aud: undefined } })],
    ['is of another namespace', token({ claims: claimsOf({ namespace: 'other' }) })],
    ['contradicts itself', token({ claims: { sub: 'system:serviceaccount:ci:another' } })],
    ['is bound to no pod', token({ claims: claimsOf({ pod: undefined }) })],
    ['is bound to a pod without a UID', token({ claims: claimsOf({ pod: { name: 'linux-1' } }) })],
    ['is of a person', token({ claims: { sub: 'ada', 'kubernetes.io': undefined } })],
  ])('is refused at no request where it %s', async (_, shown) => {
    const { ask, reviews, readings } = await withKeys()
    expect(await ask(good)).not.toBeNull()
    expect(await ask(shown)).toBeNull()
    expect([readings(), reviews()]).toEqual([1, 0])
  })

  it('is refused by the thousand, at hardly any cost, agents included', async () => {
    const { ask, cluster, clock, api, readings, reviews } = await withKeys()
    const serviceAccount = { namespace: 'ci', name: 'agent' }
    const agents = createAgentIdentity({
      cluster,
      verify: cluster.verifyToken,
      clock,
      audience: 'holdfast',
      serviceAccount,
    })
    await ask(good)
    for (let index = 0; index < 2_000; index += 1) {
      const shown = `${head}.${coded({ index })}.${signature}`
      expect(await ask(shown)).toBeNull()
      expect(await agents.of(shown, never)).toBeNull()
    }
    expect([readings(), reviews(), api.requests.length]).toEqual([1, 0, 2])
  })
})

describe('the keys of the API server', () => {
  it('are read again for an unknown key, at a bounded pace', async () => {
    const { ask, server, clock, readings, reviews } = await withKeys()
    await ask(token())
    const turned = token({ head: { kid: 'new' }, key: stranger.privateKey })
    for (let index = 0; index < 100; index += 1) {
      expect(await ask(token({ head: { kid: `invented-${index}` }, key: stranger.privateKey }))).toBeNull()
    }
    expect(readings()).toBe(1)
    server.keys = { ...server.keys, new: stranger.publicKey }
    await clock.advance(10_000)
    expect(await ask(turned)).not.toBeNull()
    for (let index = 0; index < 100; index += 1)
      expect(await ask(token({ head: { kid: `${index}` } }))).toBeNull()
    expect([readings(), reviews()]).toEqual([2, 0])
  })

  it('are read again, so that a withdrawn one verifies nothing any more', async () => {
    const { ask, server, clock, readings } = await withKeys()
    expect(await ask(token())).not.toBeNull()
    server.keys = { ec: ec.publicKey }
    await clock.advance(5 * 60_000)
    await ask(token())
    await expect.poll(readings).toBe(2)
    await expect.poll(() => ask(token())).toBeNull()
  })

  it('stay in use while the API server does not answer, and admit no pod where there were none', async () => {
    const { ask, server, clock } = await withKeys()
    server.refuses = 503
    await expect(ask(token())).rejects.toMatchObject({ code: 'E_CLUSTER_UNREACHABLE' })
    server.refuses = null
    await clock.advance(10_000)
    expect(await ask(token())).not.toBeNull()
    server.refuses = 503
    await clock.advance(6 * 60_000)
    expect(await ask(token())).not.toBeNull()
    await expect(ask(token({ head: { kid: 'new' } }))).rejects.toMatchObject({
      code: 'E_CLUSTER_UNREACHABLE',
    })
  })

  it.each([403, 404, 406])(
    'are not needed where the API server answers %i: then it reviews, and it is said once',
    async (code) => {
      const { ask, server, clock, log, reviews, readings } = await withKeys({ isSeen: () => false })
      server.refuses = code
      for (const index of [1, 2, 3]) expect(await ask(token({ claims: { jti: `${index}` } }))).not.toBeNull()
      expect([readings(), reviews()]).toEqual([1, 3])
      expect(log.lines.filter((line) => line.includes('each pod costs a TokenReview'))).toHaveLength(1)
      server.refuses = null
      await clock.advance(5 * 60_000)
      await ask(token())
      await expect.poll(() => log.lines.join()).toContain("verified by the API server's keys")
    },
  )
})

function claimsOf(over: object): object {
  return { 'kubernetes.io': { ...bound, ...over } }
}
