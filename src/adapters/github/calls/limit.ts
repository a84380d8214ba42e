import type { Authority } from '../auth/authority.ts'
import type { Identity } from '../auth/credentials.ts'
import { unexpected } from '../transport/expect.ts'
import type { Lines } from '../transport/lines.ts'
import { whereAllowed } from './where-allowed.ts'

/** The answer's headers tell the budget what is left, as those of every answer do; this one costs nothing. */
export async function readLimit(lines: Lines, authority: Authority, signal: AbortSignal): Promise<void> {
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
      const answer = await lines(identity, 'recovery')('GET', path, signal)
      // A server of one's own may have no limit: then it knows no such path.
      if (answer.status !== 200 && answer.status !== 404) throw unexpected(answer, `GET ${path}`)
    },
  )
}
