import { announce } from './announce.ts'
import type { Context } from './context.ts'
import { defaultGroup, groupRunnersMax, groupsOf } from './groups.ts'
import { installationOf, installationsOf } from './installations.ts'
import type { GroupVisibility, Installation, InstallationMessage, Repository, RunnerGroup } from './model.ts'
import { hasScope, loginOf } from './scope.ts'

export interface GroupOrder {
  /** `owner/*`, or `enterprise:slug`. */
  readonly scope: string
  readonly name: string
  readonly visibility?: GroupVisibility | undefined
  readonly selected?: readonly string[] | undefined
  readonly allowsPublic?: boolean | undefined
  readonly runnersMax?: number | undefined
}

/** Says that an account is a person's, or an organisation's. */
export function putOwner({ store }: Context, login: string, isPersonal: boolean): void {
  const known = [...store.owners.values()].find((owner) => owner.login === login)
  store.put('owners', { id: known?.id ?? store.nextId('account'), login, isPersonal })
  for (const repository of [...store.repositories.values()]) {
    if (loginOf(repository.fullName) === login) store.put('repositories', { ...repository, isPersonal })
  }
}

/** Makes a group of runners, or changes the one of that name; null: there is no such scope. */
export function putGroup({ store }: Context, { scope, name, ...order }: GroupOrder): RunnerGroup | null {
  if (!hasScope(store, scope)) return null
  const known = groupsOf(store, scope).find((group) => group.name === name)
  const id = known === undefined || known.id === 0 ? store.nextId('group') : known.id
  const group: RunnerGroup = {
    id,
    number: known?.number ?? id,
    scope,
    name,
    visibility: order.visibility ?? known?.visibility ?? 'all',
    selected: order.selected ?? known?.selected ?? [],
    // As GitHub: only the default group serves public repositories unless somebody allows it.
    allowsPublic: order.allowsPublic ?? known?.allowsPublic ?? known?.number === defaultGroup,
    runnersMax: order.runnersMax ?? known?.runnersMax ?? groupRunnersMax,
  }
  store.put('groups', group)
  return group
}

/** Installs the App in an account, or (null) in all that there is; what was installed there before is gone. */
export function install(context: Context, account: string | null): Installation {
  const { store } = context
  for (const other of installationsOf(store)) {
    if (account === null || other.account === null || other.account === account) uninstall(context, other)
  }
  const installation = { id: store.nextId('installation'), account, suspendedAt: null, isRemoved: false }
  store.put('installations', installation)
  announceInstallation(context, 'created', installation)
  return installation
}

export function uninstall(context: Context, installation: Installation): void {
  context.store.put('installations', { ...installation, isRemoved: true })
  announceInstallation(context, 'deleted', installation)
}

export function suspend(context: Context, installation: Installation, isSuspended: boolean): void {
  const { store } = context
  if ((installation.suspendedAt !== null) === isSuspended) return
  const changed = { ...installation, suspendedAt: isSuspended ? store.now : null }
  store.put('installations', changed)
  announceInstallation(context, isSuspended ? 'suspend' : 'unsuspend', changed)
}

/** Changes which repositories the App sees, and announces those that came or went. */
export function changeCoverage(context: Context, change: () => void): void {
  const before = covered(context)
  change()
  const after = covered(context)
  for (const installation of context.appId === null ? [] : installationsOf(context.store)) {
    const gone = missing(before, after, installation)
    const come = missing(after, before, installation)
    if (gone.length > 0) announceCoverage(context, 'removed', installation, gone)
    if (come.length > 0) announceCoverage(context, 'added', installation, come)
  }
}

type Covered = ReadonlyMap<Repository, number | undefined>

function covered({ store }: Context): Covered {
  const all = [...store.repositories.values()]
  return new Map(all.map((repository) => [repository, installationOf(store, repository.fullName)?.id]))
}

function missing(from: Covered, now: Covered, { id }: Installation): readonly Repository[] {
  return [...from.keys()].filter((each) => from.get(each) === id && now.get(each) !== id)
}

function announceInstallation(
  context: Context,
  action: InstallationMessage['action'],
  installation: Installation,
): void {
  if (context.appId === null) return
  announce(context, { event: 'installation', action, installation }, null)
}

function announceCoverage(
  context: Context,
  action: 'added' | 'removed',
  installation: Installation,
  repositories: readonly Repository[],
): void {
  announce(context, { event: 'installation_repositories', action, installation, repositories }, null)
}
