import type { ForgeScope } from '../../ports/forge.ts'
import { unexpected } from './answers.ts'
import type { Call } from './call.ts'

export type RunnerScope = 'repository' | 'organisation' | 'instance'

/** What is remembered of owners; more are asked about again. */
const OWNERS_MAX = 10_000

/** `/repos/owner/name`, whatever stands in the names. */
export function repositoryPath(repository: string): string {
  return `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`
}

/**
 * Where a repository's runners are registered and the jobs that they may get are listed: `/repos/…`, `/orgs/…` or
 * `/admin`. Only organisations have runners of their own here: where the owner is a person it is the repository.
 */
export function placesOf(
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
      if (isOrganisation.size >= OWNERS_MAX) isOrganisation.clear()
      isOrganisation.set(owner, answer.status === 200)
    }
    return isOrganisation.get(owner) ? path : repositoryPath(repository)
  }
}
