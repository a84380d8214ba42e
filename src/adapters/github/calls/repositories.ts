import type { z } from 'zod'
import type { Purpose } from '../../../ports/budget.ts'
import type { Authority } from '../auth/authority.ts'
import type { Identity } from '../auth/credentials.ts'
import type { Installation } from '../auth/installations.ts'
import { type OnSkipped, readAll, readArray } from '../pages.ts'
import { repositorySchema } from '../schemas.ts'
import type { Lines } from '../transport/lines.ts'
import { type Refused, whereAllowed } from './where-allowed.ts'

/** A repository that we may see, and as whom. */
export interface Covered {
  readonly repository: string
  readonly isPublic: boolean
  /** Whether runners and webhooks of its own can be managed, as far as the forge tells. */
  readonly isManaged: boolean
  readonly identity: Identity
}

/** What our credentials cover, and the owners where the forge will not tell. */
export interface Coverage {
  readonly covered: readonly Covered[]
  readonly refused: readonly Refused<Installation>[]
}

/** Every repository that our credentials cover: those of each installation of the App, or those of the token. */
export async function readRepositories(
  lines: Lines,
  authority: Authority,
  purpose: Purpose,
  signal: AbortSignal,
  onSkipped?: OnSkipped,
): Promise<Coverage> {
  const installations = await authority.installations(purpose, signal)
  if (installations === null) {
    const identity: Identity = { kind: 'owner', owner: '' }
    const mine = await readArray(lines(identity, purpose), '/user/repos', repositorySchema, signal)
    return { covered: mine.map((each) => coveredOf(each, identity)), refused: [] }
  }
  const active = installations.filter(({ isSuspended }) => !isSuspended)
  const { results, refused } = await whereAllowed(
    active,
    () => true,
    async ({ id }) => {
      const identity: Identity = { kind: 'installation', id }
      const path = '/installation/repositories'
      const its = await readAll(lines(identity, purpose), path, 'repositories', repositorySchema, signal, {
        onSkipped,
      })
      return its.map((each) => coveredOf(each, identity))
    },
  )
  return { covered: results.flat(), refused }
}

function coveredOf(given: z.infer<typeof repositorySchema>, identity: Identity): Covered {
  return {
    repository: given.full_name,
    isPublic: !given.private,
    // An installation is told its App's rights elsewhere: what stands here is about persons.
    isManaged: identity.kind === 'installation' || given.permissions.admin,
    identity,
  }
}
