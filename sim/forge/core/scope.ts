import type { Store } from './store.ts'

/** The scope of runners that serve every repository of an organisation. */
export function organizationScope(login: string): string {
  return `${login}/*`
}

/** Whether there is such a repository, or an organisation with any. */
export function hasScope(store: Store, scope: string): boolean {
  if (!scope.endsWith('/*')) return store.byFullName.has(scope)
  const owner = scope.slice(0, -1)
  return [...store.byFullName.keys()].some((fullName) => fullName.startsWith(owner))
}

/** Whether runners of a scope may take jobs of a repository. */
export function serves(scope: string, repository: string): boolean {
  return scope === repository || scope === organizationScope(repository.split('/')[0] ?? '')
}
