import {
  changeCoverage,
  type GroupOrder,
  install,
  putGroup,
  putOwner,
  suspend,
  uninstall,
} from './account-orders.ts'
import { subscribed } from './announce.ts'
import type { Context } from './context.ts'
import { defaultGroup, groupOf, groupsOf } from './groups.ts'
import { installationOf, installationsOf, refusalOf, visibleTo } from './installations.ts'
import { putRepository } from './jobs.ts'
import type { HookEvent, Installation, Refusal, RefusalKind, Repository, RunnerGroup } from './model.ts'
import { hookId, type InstallationFacts } from './payload/index.ts'
import { formerly, renameRepository } from './rename.ts'
import { isOrganization } from './scope.ts'
import { installationFacts } from './webhooks.ts'

/** The accounts, repositories and installations of the forge, and the decisions of people about them. */
export interface Accounts {
  /** Makes a repository, or changes who can see it. */
  putRepository(fullName: string, isPublic: boolean): void
  /** Gives a repository another name or owner; the old name leads to it from then on. */
  rename(from: string, to: string): 'renamed' | 'absent' | 'taken'
  /** The repository that had this name before, where no other has it now. */
  formerly(fullName: string): Repository | null
  putOwner(login: string, isPersonal: boolean): void
  isOrganization(login: string): boolean
  /** The repositories of an account, whether an App sees them or not. */
  repositoriesOf(login: string): readonly Repository[]
  putEnterprise(slug: string, organizations: readonly string[] | null): void

  /** Makes a group of runners, or changes the one of that name; null: there is no such scope. */
  putGroup(order: GroupOrder): RunnerGroup | null
  /** Takes away a group that somebody made. */
  dropGroup(number: number): 'dropped' | 'absent'
  groups(scope: string): readonly RunnerGroup[]
  group(scope: string, number: number): RunnerGroup | null

  /** Installs the App in an account, or (null) in all that there is; what was installed there before is gone. */
  install(account: string | null): Installation
  uninstall(id: number): 'uninstalled' | 'absent'
  suspend(id: number, isSuspended: boolean): 'done' | 'absent'
  installations(): readonly Installation[]
  installation(id: number): Installation | null
  installationOf(repository: string): Installation | null
  installationFacts(installation: Installation): InstallationFacts
  /** The repositories that an installation's token sees; null: any other token. */
  visibleTo(account: string | null): readonly Repository[]

  /** Blocks that only a person lifts, for an owner or one repository. */
  refuse(what: RefusalKind, of: string): void
  /** Lifts what fits; null fits all. */
  lift(what: RefusalKind | null, of: string | null): void
  refusals(): readonly Refusal[]
  isRefused(of: string, what: RefusalKind): boolean

  /** Which messages the hook wants. */
  subscribe(events: readonly HookEvent[]): void
  subscribed(): readonly HookEvent[]
}

export function createAccounts(context: Context): Accounts {
  const { store } = context
  const find = (id: number) => installationsOf(store).find((each) => each.id === id)
  return {
    putRepository(fullName, isPublic) {
      putRepository(context, fullName)
      const repository = store.repositories.get(store.byFullName.get(fullName) as number) as Repository
      if ((repository.isPublic ?? false) !== isPublic) store.put('repositories', { ...repository, isPublic })
    },
    rename: (from, to) => renameRepository(context, from, to),
    formerly: (fullName) => formerly(store, fullName),
    putOwner: (login, isPersonal) => putOwner(context, login, isPersonal),
    isOrganization: (login) => isOrganization(store, login),
    repositoriesOf: (login) =>
      [...(store.repositoriesOf.get(login) ?? [])].map((id) => store.repositories.get(id) as Repository),
    putEnterprise(slug, organizations) {
      const known = [...store.enterprises.values()].find((enterprise) => enterprise.slug === slug)
      store.put('enterprises', { id: known?.id ?? store.nextId('account'), slug, organizations })
    },

    putGroup: (order) => putGroup(context, order),
    dropGroup(number) {
      const group = [...store.groups.values()].find((each) => each.number === number)
      if (group === undefined || number === defaultGroup) return 'absent'
      store.drop('groups', group.id)
      return 'dropped'
    },
    groups: (scope) => groupsOf(store, scope),
    group: (scope, number) => groupOf(store, scope, number) ?? null,

    install: (account) => install(context, account),
    uninstall(id) {
      const installation = find(id)
      if (installation === undefined) return 'absent'
      uninstall(context, installation)
      return 'uninstalled'
    },
    suspend(id, isSuspended) {
      const installation = find(id)
      if (installation === undefined) return 'absent'
      suspend(context, installation, isSuspended)
      return 'done'
    },
    installations: () => installationsOf(store),
    installation: (id) => find(id) ?? null,
    installationOf: (repository) => installationOf(store, repository),
    installationFacts: (installation) => installationFacts(context, installation),
    visibleTo: (account) => visibleTo(store, account),

    refuse(what, of) {
      const isKnown = [...store.refusals.values()].some((each) => each.what === what && each.of === of)
      if (isKnown) return
      changeCoverage(context, () => store.put('refusals', { id: store.nextId('account'), what, of }))
    },
    lift(what, of) {
      const isMeant = (refusal: Refusal) =>
        (what === null || refusal.what === what) && (of === null || refusal.of === of)
      changeCoverage(context, () => {
        for (const refusal of [...store.refusals.values()]) {
          if (isMeant(refusal)) store.drop('refusals', refusal.id)
        }
      })
    },
    refusals: () => [...store.refusals.values()],
    isRefused: (of, what) => refusalOf(store, of, what) !== undefined,

    subscribe: (events) => store.put('hooks', { id: hookId, events }),
    subscribed: () => subscribed(context),
  }
}
