import { createHash, timingSafeEqual } from 'node:crypto'
import type { AgentIdentity } from '../../ports/host-agent.ts'

/** The agent of one machine authenticates with a token that both read from the data folder; it may report any node. */
export function createTokenAgentIdentity(token: string): AgentIdentity {
  const expected = digest(token)
  return {
    of: async (proof) => (token !== '' && timingSafeEqual(digest(proof), expected) ? { node: null } : null),
  }
}

/** Tokens are compared by digest, so that timing reveals nothing, not even the length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
