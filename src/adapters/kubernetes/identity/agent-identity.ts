import { createHash } from 'node:crypto'
import type { Clock, Instant } from '../../../ports/clock.ts'
import type { AgentIdentity, ProvenAgent } from '../../../ports/host-agent.ts'
import type { ReviewToken, TokenReview, VerifyToken } from '../client/index.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'

/** How long a review is valid: so long a deleted agent may still push. */
const reviewValidMs = 60_000
/** A flood of one bad token costs one review. */
const refusedMs = 5_000
/** Two tokens for each of 5,000 nodes. */
const rememberedMax = 10_000
const reviewsMax = 16
const reviewsWaitingMax = 1_000
const reviewWaitMaxMs = 15_000
const nodeName = 'authentication.kubernetes.io/node-name'

export interface AgentIdentityOptions {
  readonly cluster: { readonly reviewToken: ReviewToken }
  /** Keeps garbage from the API server; unset: every token is reviewed. */
  readonly verify?: VerifyToken
  readonly clock: Pick<Clock, 'now'>
  readonly audience: string
  /** Whose tokens are those of agents. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string }
}

/** Agents prove by their pod's token that they are of the agents' service account, and on which node they run. */
export function createAgentIdentity(options: AgentIdentityOptions): AgentIdentity {
  const { cluster, clock, audience } = options
  const known = new Map<string, { readonly agent: ProvenAgent | null; readonly at: Instant }>()
  const gate = createConcurrencyLimit({
    subject: 'token reviews of agents',
    atOnceMax: reviewsMax,
    waitingMax: reviewsWaitingMax,
    clock,
    waitMaxMs: reviewWaitMaxMs,
  })
  return {
    async of(token, signal) {
      const key = createHash('sha256').update(token).digest('hex')
      const before = known.get(key)
      const ageMs = clock.now() - (before?.at ?? 0)
      if (before !== undefined && ageMs >= 0 && ageMs < (before.agent === null ? refusedMs : reviewValidMs)) {
        return before.agent
      }
      // Nobody here watches agents: only a review shows that one is still there.
      if ((await options.verify?.(token, audience))?.kind === 'refused') return null
      const at = clock.now()
      const agent = agentIn(await gate(() => cluster.reviewToken(token, audience, signal)), options)
      known.delete(key)
      known.set(key, { agent, at })
      for (const oldest of known.keys()) {
        if (known.size <= rememberedMax) break
        known.delete(oldest)
      }
      return agent
    },
  }
}

/** Clusters before 1.30 name no node in a token: then the agent's own word counts. */
function agentIn(
  review: TokenReview,
  { audience, serviceAccount }: AgentIdentityOptions,
): ProvenAgent | null {
  if (!review.isAuthenticated || !review.audiences.includes(audience)) return null
  const { namespace, name } = serviceAccount
  if (review.username !== `system:serviceaccount:${namespace}:${name}`) return null
  const [node, ...others] = review.extra[nodeName] ?? []
  if (others.length > 0 || node === '') return null
  return { node: node ?? null }
}
