import { createHash, timingSafeEqual } from 'node:crypto'
import type { AgentIdentity } from '../../ports/host-agent.ts'

/** The agent of one machine shows a token that both read from the data folder; it speaks for any node. */
export function createTokenAgentIdentity(token: string): AgentIdentity {
  const expected = digest(token)
  return {
    of: async (proof) => (token !== '' && timingSafeEqual(digest(proof), expected) ? { node: null } : null),
  }
}

/** Compared by digest, so that the time tells nothing, not even the length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
