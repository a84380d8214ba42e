import type { Purpose } from '../../../ports/budget.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Identity } from '../auth/credentials.ts'
import { createLoadingCache } from '../loading-cache.ts'
import { readAll } from '../pages.ts'
import { ForgeRefusal, refused } from '../refusal.ts'
import { ownedSchema, type RunnerGroup, runnerGroupSchema } from '../schemas.ts'
import type { CallAs } from '../transport/call-as.ts'
import { expectBody } from '../transport/expect.ts'
import { ownerOf, repositoryPath } from './paths.ts'

/** The level at which runners are registered. */
export type RunnerScope =
  | { readonly kind: 'repository' }
  /** A person has no organisation: the repositories of one get runners of their own. */
  | { readonly kind: 'organisation'; readonly runnerGroup: string }
  | { readonly kind: 'enterprise'; readonly enterprise: string; readonly runnerGroup: string }

/** The group that a pool names; null: it names none, and the group of the settings is meant. */
export type GroupName = string | null

/** The repository, organisation or enterprise at which a repository's runners are registered. */
export interface RegistrationTarget {
  readonly kind: RunnerScope['kind']
  /** The path before `/actions/runners`. */
  readonly path: string
  readonly identity: Identity
}

/** Runners of a repository's own are in no group; GitHub wants the number of the default one. */
const defaultGroupId = 1
const ownersMax = 10_000
const ownerLifeMs = 60 * 60_000
const groupLifeMs = 5 * 60_000

export interface RegistrationTargets {
  of(repository: string, purpose: Purpose, signal: AbortSignal): Promise<RegistrationTarget>
  /** Throws a `ForgeRefusal` where there is no group of this name. */
  groupId(
    target: RegistrationTarget,
    named: GroupName,
    purpose: Purpose,
    signal: AbortSignal,
  ): Promise<number>
  /**
   * The group of this name; null: runners at this place are in none, and nobody named one. Throws a `ForgeRefusal`
   * where somebody did, or where there is no such group.
   */
  group(
    target: RegistrationTarget,
    named: GroupName,
    purpose: Purpose,
    signal: AbortSignal,
  ): Promise<RunnerGroup | null>
  /** Drops a cached group that the forge does not know any more: the next caller reads it again. */
  forgetGroup(target: RegistrationTarget, named: GroupName): void
}

export interface RegistrationTargetsOptions {
  readonly scope: RunnerScope
  readonly callAs: CallAs
  readonly clock: Clock
  readonly closing: AbortSignal
}

/** Resolves the registration target of a repository's runners, and caches it for a while. */
export function createRegistrationTargets({
  scope,
  callAs,
  clock,
  closing,
}: RegistrationTargetsOptions): RegistrationTargets {
  const memory = <V>(lifeMs: number) =>
    createLoadingCache<V>({ clock, closing, entriesMax: ownersMax, isFresh: (_, ageMs) => ageMs < lifeMs })
  const ownerTypes = memory<string>(ownerLifeMs)
  const groups = memory<RunnerGroup>(groupLifeMs)

  const isPerson = async (repository: string, purpose: Purpose, signal: AbortSignal): Promise<boolean> => {
    const owner = ownerOf(repository)
    const load = async (loadSignal: AbortSignal) => {
      const path = repositoryPath(repository)
      const call = callAs({ kind: 'owner', owner }, purpose)
      const answer = await call('GET', path, loadSignal)
      return expectBody(answer, 200, ownedSchema, `GET ${path}`).owner.type
    }
    return (await ownerTypes.get(owner.toLowerCase(), load, signal)) === 'User'
  }
  const nameOf = (named: GroupName) => named ?? (scope.kind === 'repository' ? '' : scope.runnerGroup)
  const keyOf = (target: RegistrationTarget, named: GroupName) => `${target.path} ${nameOf(named)}`
  const group: RegistrationTargets['group'] = async (target, named, purpose, signal) => {
    if (target.kind === 'repository') {
      if (named !== null) throw groupless(target, named)
      return null
    }
    const runnerGroup = nameOf(named)
    const load = async (loadSignal: AbortSignal) => {
      const path = `${target.path}/actions/runner-groups`
      const call = callAs(target.identity, purpose)
      const all = await readAll(call, path, 'runner_groups', runnerGroupSchema, loadSignal)
      const found = all.find(({ name }) => name === runnerGroup)
      if (found !== undefined) return found
      const reason = `${target.path.slice(1)} has no runner group "${runnerGroup}".`
      // A wrong group of one pool must not hold back the jobs of the others.
      const concerns = named === null ? 'account' : 'job'
      throw new ForgeRefusal(`GET ${path}`, refused(concerns, 'runner-group-unknown', reason))
    }
    return groups.get(keyOf(target, named), load, signal)
  }
  return {
    async of(repository, purpose, signal) {
      const owner = ownerOf(repository)
      const identity: Identity = { kind: 'owner', owner }
      if (scope.kind === 'enterprise') {
        const path = `/enterprises/${encodeURIComponent(scope.enterprise)}`
        return { kind: 'enterprise', path, identity: { kind: 'enterprise', slug: scope.enterprise } }
      }
      if (scope.kind === 'organisation' && !(await isPerson(repository, purpose, signal))) {
        return { kind: 'organisation', path: `/orgs/${encodeURIComponent(owner)}`, identity }
      }
      return { kind: 'repository', path: repositoryPath(repository), identity }
    },
    groupId: async (target, named, purpose, signal) =>
      (await group(target, named, purpose, signal))?.id ?? defaultGroupId,
    group,
    forgetGroup: (target, named) => groups.forget(keyOf(target, named)),
  }
}

function groupless({ path }: RegistrationTarget, named: string): ForgeRefusal {
  const reason = `The pool's runners belong into the group "${named}", but those of ${path.slice(1)} are registered there, in no group.`
  return new ForgeRefusal(`the group of ${path}`, refused('job', 'runner-group-unsupported', reason))
}
