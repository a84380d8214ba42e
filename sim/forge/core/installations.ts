import type { Installation, Refusal, RefusalKind, Repository } from './model.ts'
import { loginOf } from './scope.ts'
import type { Store } from './store.ts'

/** The one installation of a forge of which nobody has said anything: it is about everything. */
const defaultInstallationId = 50_000_001

const plain: Installation = {
  id: defaultInstallationId,
  account: null,
  suspendedAt: null,
  isRemoved: false,
}

/** The installations of the App that there are. */
export function installationsOf(store: Store): readonly Installation[] {
  if (store.installations.size === 0) return [plain]
  return [...store.installations.values()].filter(({ isRemoved }) => !isRemoved)
}

/** The one through which the App sees a repository; null: it does not. */
export function installationOf(store: Store, fullName: string): Installation | null {
  if (refusalOf(store, fullName, 'not-in-installation') !== undefined) return null
  const login = loginOf(fullName)
  return installationsOf(store).find(({ account }) => account === null || account === login) ?? null
}

/** The repositories that an installation's token may see; null: a token of no installation. */
export function visibleTo(store: Store, account: string | null): readonly Repository[] {
  return [...store.repositories.values()].filter(
    ({ fullName }) =>
      (account === null || loginOf(fullName) === account) &&
      refusalOf(store, fullName, 'not-in-installation') === undefined,
  )
}

/** The block that was ordered for a repository or its owner (`owner/name`), or for an owner alone. */
export function refusalOf(store: Store, of: string, what: RefusalKind): Refusal | undefined {
  if (store.refusals.size === 0) return undefined
  const login = of.includes('/') ? loginOf(of) : of
  for (const refusal of store.refusals.values()) {
    if (refusal.what === what && (refusal.of === of || refusal.of === login)) return refusal
  }
  return undefined
}
