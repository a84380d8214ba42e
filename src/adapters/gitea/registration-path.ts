import type { ForgeScope } from '../../ports/forge.ts'
import { unexpected } from './answers.ts'
import type { Call } from './call.ts'

export type RunnerScope = 'repository' | 'organisation' | 'instance'

/** The bound of cached owners. */
const ownersMax = 10_000

/** `/repos/owner/name`, whatever stands in the names. */
export function repositoryPath(repository: string): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`
}

/**
 * The path prefix at which a repository's runners are registered and their jobs are listed: `/repos/…`, `/orgs/…` or
 * `/admin`. Only organisations have runners of their own: where the owner is a user it is the repository.
 */
export function createRegistrationPath(
  call: Call,
  scope: RunnerScope,
): (of: ForgeScope, signal: AbortSignal) => Promise<string> {
  const isOrganisation = new Map<string, boolean>()
  return async ({ repository }, signal) => {
    if (scope === 'instance') return '/admin'
    if (scope === 'repository') return repositoryPath(repository)
    const owner = repository.split('/')[0] ?? ''
    const path = `/orgs/${encodeURIComponent(owner)}`
    if (!isOrganisation.has(owner)) {
      const answer = await call.rest('GET', path, signal)
      if (answer.status !== 200 && answer.status !== 404) throw unexpected(answer, `GET ${path}`)
      if (isOrganisation.size >= ownersMax) isOrganisation.clear()
      isOrganisation.set(owner, answer.status === 200)
    }
    return isOrganisation.get(owner) ? path : repositoryPath(repository)
  }
}
