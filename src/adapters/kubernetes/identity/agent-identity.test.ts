import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../platform/lifecycle/fakes.ts'
import type { TokenReview } from '../client/index.ts'
import { createAgentIdentity } from './agent-identity.ts'

const never = new AbortController().signal
const good: TokenReview = {
  isAuthenticated: true,
  audiences: ['holdfast'],
  username: 'system:serviceaccount:holdfast:agent',
  extra: { 'authentication.kubernetes.io/node-name': ['node-1'] },
}

function identityOf(review: Partial<TokenReview> = {}) {
  const clock = new ManualClock()
  const reviews: string[] = []
  const server = { now: { ...good, ...review } }
  const cluster = {
    reviewToken: async (token: string, audience: string) => {
      reviews.push(`${token} ${audience}`)
      return server.now
    },
  }
  const serviceAccount = { namespace: 'holdfast', name: 'agent' }
  const identity = createAgentIdentity({ cluster, clock, audience: 'holdfast', serviceAccount })
  return { clock, reviews, server, ask: (token = 'token') => identity.of(token, never) }
}

describe('an agent proves its identity', () => {
  it('by a token of the agents’ service account, for the node that the token names', async () => {
    const { ask, reviews } = identityOf()
    expect(await ask()).toEqual({ node: 'node-1' })
    expect(reviews).toEqual(['token holdfast'])
  })

  it('for any node where the cluster names none', async () => {
    expect(await identityOf({ extra: {} }).ask()).toEqual({ node: null })
  })

  it.each<[string, Partial<TokenReview>]>([
    ['is not authenticated', { isAuthenticated: false }],
    ['is for somebody else', { audiences: ['https://kubernetes'] }],
    ['is of a runner', { username: 'system:serviceaccount:holdfast:default' }],
    ['is of the same name elsewhere', { username: 'system:serviceaccount:ci:agent' }],
    ['names two nodes', { extra: { 'authentication.kubernetes.io/node-name': ['a', 'b'] } }],
    ['names an empty node', { extra: { 'authentication.kubernetes.io/node-name': [''] } }],
  ])('and is refused where its token %s', async (_, review) => {
    expect(await identityOf(review).ask()).toBeNull()
  })

  it('once a minute, and each five seconds where it is refused', async () => {
    const { ask, clock, reviews, server } = identityOf()
    await ask()
    server.now = { ...good, isAuthenticated: false }
    await clock.advance(59_000)
    expect(await ask()).toEqual({ node: 'node-1' })
    await clock.advance(1_000)
    expect([await ask(), await ask()]).toEqual([null, null])
    expect(reviews).toHaveLength(2)
    server.now = good
    await clock.advance(5_000)
    expect(await ask()).toEqual({ node: 'node-1' })
  })
})
