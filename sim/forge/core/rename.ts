import { changeCoverage } from './account-orders.ts'
import type { Context } from './context.ts'
import type { Repository } from './model.ts'
import { isPerson, loginOf } from './scope.ts'
import type { Store } from './store.ts'

/** Gives a repository another name, or another owner: all that is of it goes along, and its old name leads to it. */
export function renameRepository(context: Context, from: string, to: string): 'renamed' | 'absent' | 'taken' {
  const { store } = context
  const repository = store.repositories.get(store.byFullName.get(from) ?? Number.NaN)
  if (repository === undefined) return 'absent'
  if (store.byFullName.has(to)) return 'taken'
  changeCoverage(context, () => {
    const formerNames = [...(repository.formerNames ?? []), from].filter((name) => name !== to)
    const isPersonal = isPerson(store, loginOf(to))
    store.put('repositories', { ...repository, fullName: to, formerNames, isPersonal })
    moveRows(store, from, to)
  })
  return 'renamed'
}

/** The repository that a name leads to which it had before; null: none, or another one has taken the name. */
export function formerly(store: Store, fullName: string): Repository | null {
  if (store.byFullName.has(fullName)) return null
  const isMeant = ({ formerNames = [] }: Repository) => formerNames.includes(fullName)
  return [...store.repositories.values()].find(isMeant) ?? null
}

function moveRows(store: Store, from: string, to: string): void {
  const named = (name: string) => (name === from ? to : name)
  for (const run of [...store.runs.values()])
    if (run.repository === from) store.put('runs', { ...run, repository: to })
  for (const job of [...store.jobs.values()])
    if (job.repository === from) store.put('jobs', { ...job, repository: to })
  for (const runner of [...store.runners.values()])
    if (runner.repository === from) store.put('runners', { ...runner, repository: to })
  for (const refusal of [...store.refusals.values()])
    if (refusal.of === from) store.put('refusals', { ...refusal, of: to })
  for (const group of [...store.groups.values()])
    if (group.selected.includes(from)) store.put('groups', { ...group, selected: group.selected.map(named) })
}
