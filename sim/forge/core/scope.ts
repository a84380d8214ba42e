import type { Enterprise } from './model.ts'
import type { Store } from './store.ts'

/** The enterprise that every simulated forge has; it is about everything. */
const defaultEnterprise = 'simulated'
const enterprisePrefix = 'enterprise:'

/** The scope of runners that serve every repository of an organisation. */
export function organizationScope(login: string): string {
  return `${login}/*`
}

/** The scope of runners that serve every organisation of an enterprise. */
export function enterpriseScope(slug: string): string {
  return `${enterprisePrefix}${slug}`
}

export function isEnterpriseScope(scope: string): boolean {
  return scope.startsWith(enterprisePrefix)
}

/** Whether there is such a repository, an organisation with any, or such an enterprise. */
export function hasScope(store: Store, scope: string): boolean {
  if (isEnterpriseScope(scope)) return enterpriseOf(store, scope) !== undefined
  if (scope.endsWith('/*')) return isOrganization(store, scope.slice(0, -2))
  return store.byFullName.has(scope)
}

/** Whether the login is an organisation's: somebody said so, or repositories bear its name. */
export function isOrganization(store: Store, login: string): boolean {
  const owner = ownerOf(store, login)
  return owner === undefined ? (store.repositoriesOf.get(login)?.size ?? 0) > 0 : !owner.isPersonal
}

export function isPerson(store: Store, login: string): boolean {
  return ownerOf(store, login)?.isPersonal ?? false
}

/** Whether runners of a scope may take jobs of a repository, as far as their group allows it. */
export function serves(store: Store, scope: string, repository: string): boolean {
  if (scope === repository) return true
  const login = loginOf(repository)
  if (!isEnterpriseScope(scope)) return scope === organizationScope(login)
  const enterprise = enterpriseOf(store, scope)
  return enterprise !== undefined && (enterprise.organizations?.includes(login) ?? true)
}

/** The owner's part of `owner/name`. */
export function loginOf(fullName: string): string {
  return fullName.slice(0, fullName.indexOf('/'))
}

function enterpriseOf(store: Store, scope: string): Pick<Enterprise, 'organizations'> | undefined {
  const slug = scope.slice(enterprisePrefix.length)
  for (const enterprise of store.enterprises.values()) if (enterprise.slug === slug) return enterprise
  return slug === defaultEnterprise ? { organizations: null } : undefined
}

function ownerOf(store: Store, login: string) {
  for (const owner of store.owners.values()) if (owner.login === login) return owner
  return undefined
}
