import type { CredentialBudgetFact } from '../../../domain/snapshot/index.ts'
import { mapBounded } from '../../forge-http/index.ts'
import type { Identity } from '../auth/credentials.ts'
import type { Connection } from '../connection.ts'
import { rateLimitSchema } from '../schemas.ts'
import type { CallAs } from '../transport/call-as.ts'
import { expectBody } from '../transport/expect.ts'

/** The calls that our own credential has left: the token, or the App at each account. */
export async function readBudgets(
  { authority, credentialKind }: Connection,
  callAs: CallAs,
  signal: AbortSignal,
): Promise<readonly CredentialBudgetFact[]> {
  const installations = await authority.installations('resync', signal)
  const identities: readonly { readonly credential: string; readonly identity: Identity }[] =
    installations === null
      ? [{ credential: 'settings', identity: { kind: 'owner', owner: '' } }]
      : installations
          .filter(({ isSuspended }) => !isSuspended)
          .map(({ id, owner }) => ({
            credential: `settings at ${owner}`,
            identity: { kind: 'installation', id },
          }))
  return mapBounded(identities, async ({ credential, identity }) => {
    const answer = await callAs(identity, 'resync')('GET', '/rate_limit', signal)
    const reading = { credential, kind: credentialKind(), at: answer.at }
    // GitHub Enterprise Server has no limit unless its administrator sets one, and this is its answer then.
    if (answer.status === 404) return { ...reading, limit: null, remaining: null, resetAt: null }
    const { core } = expectBody(answer, 200, rateLimitSchema, 'GET /rate_limit').resources
    return { ...reading, limit: core.limit, remaining: core.remaining, resetAt: core.reset * 1000 }
  })
}
