import type { z } from 'zod'
import type { Purpose } from '../../../ports/budget.ts'
import type { Authority } from '../auth/authority.ts'
import type { Identity } from '../auth/credentials.ts'
import type { Installation } from '../auth/installations.ts'
import { type OnSkipped, readAll, readArray } from '../pages.ts'
import { repositorySchema } from '../schemas.ts'
import type { CallAs } from '../transport/call-as.ts'
import { type Refused, whereAllowed } from './where-allowed.ts'

/** A repository that we may see, and the identity that sees it. */
export interface Covered {
  readonly repository: string
  readonly isPublic: boolean
  /** Whether runners and webhooks of its own can be managed, as far as the forge shows. */
  readonly isManaged: boolean
  /** A person's repository: people have no runners of their own, besides those of each repository. */
  readonly isOfPerson: boolean
  readonly identity: Identity
}

/** The repositories that our credentials cover, and the owners for which the forge refused to list them. */
export interface Coverage {
  readonly covered: readonly Covered[]
  readonly refused: readonly Refused<Installation>[]
}

/** Reads every repository that our credentials cover: those of each installation of the App, or those of the token. */
export async function readRepositories(
  callAs: CallAs,
  authority: Authority,
  purpose: Purpose,
  signal: AbortSignal,
  onSkipped?: OnSkipped,
): Promise<Coverage> {
  const installations = await authority.installations(purpose, signal)
  if (installations === null) {
    const identity: Identity = { kind: 'owner', owner: '' }
    const mine = await readArray(callAs(identity, purpose), '/user/repos', repositorySchema, signal)
    return { covered: mine.map((each) => coveredOf(each, identity)), refused: [] }
  }
  const active = installations.filter(({ isSuspended }) => !isSuspended)
  const { results, refused } = await whereAllowed(
    active,
    () => true,
    async ({ id }) => {
      const identity: Identity = { kind: 'installation', id }
      const path = '/installation/repositories'
      const its = await readAll(callAs(identity, purpose), path, 'repositories', repositorySchema, signal, {
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
    // These permissions are those of a user; an installation's rights are those of its App.
    isManaged: identity.kind === 'installation' || given.permissions.admin,
    isOfPerson: given.owner?.type === 'User',
    identity,
  }
}
