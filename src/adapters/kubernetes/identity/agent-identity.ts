import { createHash } from 'node:crypto'
import type { Clock, Instant } from '../../../ports/clock.ts'
import type { AgentIdentity, ProvenAgent } from '../../../ports/host-agent.ts'
import { createGate } from './gate.ts'
import type { ReviewToken, TokenReview } from './review.ts'
import type { VerifyToken } from './verify.ts'

/** How long a review is believed: so long a deleted agent may still push. */
const BELIEVED_MS = 60_000
/** A flood of one bad token costs one review. */
const REFUSED_MS = 5_000
/** Two tokens for each of 5,000 nodes. */
const REMEMBERED_MAX = 10_000
const REVIEWS_MAX = 16
const REVIEWS_WAITING_MAX = 1_000
const REVIEW_WAIT_MAX_MS = 15_000
const NODE_NAME = 'authentication.kubernetes.io/node-name'

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
  const gate = createGate({
    ...{ what: 'token reviews of agents', atOnceMax: REVIEWS_MAX, waitingMax: REVIEWS_WAITING_MAX, clock },
    waitMaxMs: REVIEW_WAIT_MAX_MS,
  })
  return {
    async of(token, signal) {
      const key = createHash('sha256').update(token).digest('hex')
      const before = known.get(key)
      const ageMs = clock.now() - (before?.at ?? 0)
      if (before !== undefined && ageMs >= 0 && ageMs < (before.agent === null ? REFUSED_MS : BELIEVED_MS)) {
        return before.agent
      }
      // Nobody here watches agents: that one is still there only a review tells.
      if ((await options.verify?.(token, audience))?.kind === 'refused') return null
      const at = clock.now()
      const agent = agentIn(await gate(() => cluster.reviewToken(token, audience, signal)), options)
      known.delete(key)
      known.set(key, { agent, at })
      for (const oldest of known.keys()) {
        if (known.size <= REMEMBERED_MAX) break
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
  const [node, ...others] = review.extra[NODE_NAME] ?? []
  if (others.length > 0 || node === '') return null
  return { node: node ?? null }
}
