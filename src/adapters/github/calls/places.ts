import type { Purpose } from '../../../ports/budget.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Identity } from '../auth/credentials.ts'
import { createMemory } from '../memory.ts'
import { readAll } from '../pages.ts'
import { ForgeRefusal, refused } from '../refusal.ts'
import { ownedSchema, type RunnerGroup, runnerGroupSchema } from '../schemas.ts'
import { expectBody } from '../transport/expect.ts'
import type { Lines } from '../transport/lines.ts'
import { ownerOf, repositoryPath } from './paths.ts'

/** Where runners are registered. */
export type RunnerScope =
  | { readonly kind: 'repository' }
  /** A person has no organisation: the repositories of one get runners of their own. */
  | { readonly kind: 'organisation'; readonly runnerGroup: string }
  | { readonly kind: 'enterprise'; readonly enterprise: string; readonly runnerGroup: string }

/** The group that a pool names; null: it names none, and the group of the settings is meant. */
export type GroupName = string | null

/** The part of GitHub at which a repository's runners are registered. */
export interface Place {
  readonly kind: RunnerScope['kind']
  /** What stands before `/actions/runners`. */
  readonly path: string
  readonly identity: Identity
}

/** Runners of a repository's own are in no group; GitHub wants the number of the default one. */
const DEFAULT_GROUP_ID = 1
const OWNERS_MAX = 10_000
const OWNER_LIFE_MS = 60 * 60_000
const GROUP_LIFE_MS = 5 * 60_000

export interface Places {
  of(repository: string, purpose: Purpose, signal: AbortSignal): Promise<Place>
  /** Throws a `ForgeRefusal` where there is no group of this name. */
  groupId(place: Place, named: GroupName, purpose: Purpose, signal: AbortSignal): Promise<number>
  /**
   * The group of this name; null: runners at this place are in none, and nobody named one. Throws a `ForgeRefusal`
   * where somebody did, or where there is no such group.
   */
  group(place: Place, named: GroupName, purpose: Purpose, signal: AbortSignal): Promise<RunnerGroup | null>
  /** The forge did not know what we had been told: the next one to need it asks again. */
  forgetGroup(place: Place, named: GroupName): void
}

export interface PlacesOptions {
  readonly scope: RunnerScope
  readonly lines: Lines
  readonly clock: Clock
  readonly closing: AbortSignal
}

/** Finds out, and remembers for a while, where the runners of a repository belong. */
export function createPlaces({ scope, lines, clock, closing }: PlacesOptions): Places {
  const memory = <V>(lifeMs: number) =>
    createMemory<V>({ clock, closing, entriesMax: OWNERS_MAX, isFresh: (_, ageMs) => ageMs < lifeMs })
  const ownerTypes = memory<string>(OWNER_LIFE_MS)
  const groups = memory<RunnerGroup>(GROUP_LIFE_MS)

  const isPerson = async (repository: string, purpose: Purpose, signal: AbortSignal): Promise<boolean> => {
    const owner = ownerOf(repository)
    const load = async (loadSignal: AbortSignal) => {
      const path = repositoryPath(repository)
      const call = lines({ kind: 'owner', owner }, purpose)
      const answer = await call('GET', path, loadSignal)
      return expectBody(answer, 200, ownedSchema, `GET ${path}`).owner.type
    }
    return (await ownerTypes.get(owner.toLowerCase(), load, signal)) === 'User'
  }
  const nameOf = (named: GroupName) => named ?? (scope.kind === 'repository' ? '' : scope.runnerGroup)
  const keyOf = (place: Place, named: GroupName) => `${place.path} ${nameOf(named)}`
  const group: Places['group'] = async (place, named, purpose, signal) => {
    if (place.kind === 'repository') {
      if (named !== null) throw groupless(place, named)
      return null
    }
    const runnerGroup = nameOf(named)
    const load = async (loadSignal: AbortSignal) => {
      const path = `${place.path}/actions/runner-groups`
      const call = lines(place.identity, purpose)
      const all = await readAll(call, path, 'runner_groups', runnerGroupSchema, loadSignal)
      const found = all.find(({ name }) => name === runnerGroup)
      if (found !== undefined) return found
      const reason = `${place.path.slice(1)} has no runner group "${runnerGroup}".`
      // What one pool names wrong is no reason to hold back the jobs of the others.
      const concerns = named === null ? 'account' : 'job'
      throw new ForgeRefusal(`GET ${path}`, refused(concerns, 'runner-group-unknown', reason))
    }
    return groups.get(keyOf(place, named), load, signal)
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
    groupId: async (place, named, purpose, signal) =>
      (await group(place, named, purpose, signal))?.id ?? DEFAULT_GROUP_ID,
    group,
    forgetGroup: (place, named) => groups.forget(keyOf(place, named)),
  }
}

function groupless({ path }: Place, named: string): ForgeRefusal {
  const reason = `The pool's runners belong into the group "${named}", but those of ${path.slice(1)} are registered there, in no group.`
  return new ForgeRefusal(`the group of ${path}`, refused('job', 'runner-group-unsupported', reason))
}
