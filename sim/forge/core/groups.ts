import type { Repository, RunnerGroup } from './model.ts'
import { isEnterpriseScope, loginOf } from './scope.ts'
import type { Store } from './store.ts'

/** The number of the group that every scope has. */
export const defaultGroup = 1
/** GitHub's own. */
export const groupRunnersMax = 10_000

/** The groups of a scope in the order of their numbers: the default one, and those that somebody made. */
export function groupsOf(store: Store, scope: string): readonly RunnerGroup[] {
  const made = [...store.groups.values()].filter((group) => group.scope === scope)
  const hasDefault = made.some(({ number }) => number === defaultGroup)
  return (hasDefault ? made : [plainGroup(scope), ...made]).toSorted((a, b) => a.number - b.number)
}

export function groupOf(store: Store, scope: string, number: number): RunnerGroup | undefined {
  for (const group of store.groups.values()) {
    if (group.scope === scope && group.number === number) return group
  }
  return number === defaultGroup ? plainGroup(scope) : undefined
}

/** Whether runners of a group may take jobs of a repository that lies in the group's scope. */
export function admits(group: RunnerGroup, repository: Repository): boolean {
  const isPublic = repository.isPublic ?? false
  if (isPublic && (!group.allowsPublic || group.visibility === 'private')) return false
  if (group.visibility !== 'selected') return true
  const isEnterprise = isEnterpriseScope(group.scope)
  return group.selected.includes(isEnterprise ? loginOf(repository.fullName) : repository.fullName)
}

function plainGroup(scope: string): RunnerGroup {
  return {
    id: 0,
    number: defaultGroup,
    scope,
    name: 'Default',
    visibility: 'all',
    selected: [],
    allowsPublic: true,
    runnersMax: groupRunnersMax,
  }
}
