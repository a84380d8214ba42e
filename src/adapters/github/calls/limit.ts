import type { Authority } from '../auth/authority.ts'
import type { Identity } from '../auth/credentials.ts'
import type { CallAs } from '../transport/call-as.ts'
import { unexpected } from '../transport/expect.ts'
import { whereAllowed } from './where-allowed.ts'

/** Reads the rate limit: the budget learns the rest from the answer's headers, and this call costs nothing. */
export async function readLimit(callAs: CallAs, authority: Authority, signal: AbortSignal): Promise<void> {
  const installations = await authority.installations('recovery', signal)
  const identities: readonly Identity[] =
    installations === null
      ? [{ kind: 'owner', owner: '' }]
      : installations
          .filter(({ isSuspended }) => !isSuspended)
          .map(({ id }) => ({ kind: 'installation', id }))
  const path = '/rate_limit'
  await whereAllowed(
    identities,
    () => true,
    async (identity) => {
      const answer = await callAs(identity, 'recovery')('GET', path, signal)
      // A GitHub Enterprise Server may have no limit: then the path does not exist.
      if (answer.status !== 200 && answer.status !== 404) throw unexpected(answer, `GET ${path}`)
    },
  )
}
