import type { Clock } from '../../../ports/clock.ts'
import type { Reached, Unreachable } from '../../../ports/forge.ts'
import type { Authority } from '../auth/authority.ts'
import { ownerKey } from '../auth/installations.ts'
import { createLoadingCache } from '../loading-cache.ts'
import { readAll } from '../pages.ts'
import { ForgeRefusal } from '../refusal.ts'
import { ownerSchema, type RunnerGroup, repositorySchema } from '../schemas.ts'
import type { CallAs } from '../transport/call-as.ts'
import { ownerOf, repositoryPath } from './paths.ts'
import type { GroupName, RegistrationTarget, RegistrationTargets } from './registration-targets.ts'
import { type Coverage, type Covered, readRepositories } from './repositories.ts'

const purpose = 'resync'
/** The repositories that an App covers seldom change. */
const lifeMs = 5 * 60_000
const entriesMax = 1_000

export interface ReachOptions {
  readonly callAs: CallAs
  readonly authority: Authority
  readonly targets: RegistrationTargets
  readonly clock: Clock
  readonly closing: AbortSignal
}

/** Why no runner of ours can serve a repository; null: one can, as far as GitHub shows. */
export type Reach = (asked: Reached, signal: AbortSignal) => Promise<Unreachable | null>

/** Reads which repositories our credentials cover and our runner groups serve; caches the answers for some minutes. */
export function createReach({ callAs, authority, targets, clock, closing }: ReachOptions): Reach {
  const options = { clock, closing, entriesMax: entriesMax }
  const isFresh = (_: unknown, ageMs: number) => ageMs < lifeMs
  const coverage = createLoadingCache<Coverage>({ ...options, isFresh })
  const selected = createLoadingCache<ReadonlySet<string>>({ ...options, isFresh })

  /** Repositories of an organisation's group, organisations of an enterprise's. */
  const isSelected = async (
    target: RegistrationTarget,
    group: RunnerGroup,
    repository: string,
    signal: AbortSignal,
  ) => {
    const path = `${target.path}/actions/runner-groups/${group.id}`
    const load = async (loadSignal: AbortSignal) => {
      const call = callAs(target.identity, purpose)
      const names =
        target.kind === 'organisation'
          ? (await readAll(call, `${path}/repositories`, 'repositories', repositorySchema, loadSignal)).map(
              ({ full_name }) => full_name,
            )
          : (await readAll(call, `${path}/organizations`, 'organizations', ownerSchema, loadSignal)).map(
              ({ login }) => login,
            )
      return new Set(names.map((name) => name.toLowerCase()))
    }
    const name = target.kind === 'organisation' ? repository : ownerOf(repository)
    return (await selected.get(path, load, signal)).has(name.toLowerCase())
  }
  const excludedBy = async (
    target: RegistrationTarget,
    named: GroupName,
    { repository, isPublic }: Covered,
    signal: AbortSignal,
  ) => {
    const group = await targets.group(target, named, purpose, signal)
    if (group === null) return null
    const theGroup = `The runner group "${group.name}"`
    if (isPublic && !group.allows_public_repositories) return `${theGroup} serves no public repositories.`
    if (isPublic && group.visibility === 'private') return `${theGroup} serves private repositories only.`
    if (group.visibility !== 'selected') return null
    const isServed = await isSelected(target, group, repository, signal)
    return isServed ? null : `${theGroup} serves only what was selected for it, and this was not.`
  }
  const whyNotIn = async (
    named: GroupName,
    found: Covered,
    repository: string,
    signal: AbortSignal,
  ): Promise<Unreachable | null> => {
    try {
      const target = await targets.of(repository, purpose, signal)
      if (target.kind === 'repository' && !found.isManaged) {
        const reason = 'Our credentials may not administer its runners.'
        return { repository, incident: 'repository-not-covered', reason }
      }
      const reason = await excludedBy(target, named, found, signal)
      return reason === null ? null : { repository, incident: 'runner-group-excludes', reason }
    } catch (error) {
      const refusal = error instanceof ForgeRefusal ? error.refusal : null
      if (refusal === null || refusal.incident === null) throw error
      return { repository, incident: refusal.incident, reason: refusal.reason }
    }
  }
  return async ({ repository, runnerGroups }, signal) => {
    const load = (loadSignal: AbortSignal) => readRepositories(callAs, authority, purpose, loadSignal)
    const known = await coverage.get('', load, signal)
    const coveredAs = (name: string) =>
      known.covered.find((each) => each.repository.toLowerCase() === name.toLowerCase())
    const found = coveredAs(repository) ?? coveredAs(await nameNow(callAs, known, repository, signal))
    if (found === undefined) return uncovered(authority, known, repository, signal)
    let first: Unreachable | null = null
    let isServed = false
    for (const named of runnerGroups) {
      const why = await whyNotIn(named, found, repository, signal)
      first ??= why
      isServed ||= why === null
    }
    return first !== null && isServed ? { ...first, isInPart: true } : first
  }
}

/** The present name of a repository that may have been renamed since its job was queued. */
async function nameNow(
  callAs: CallAs,
  { covered }: Coverage,
  repository: string,
  signal: AbortSignal,
): Promise<string> {
  const isNeighbour = (each: Covered) => ownerKey(ownerOf(each.repository)) === ownerKey(ownerOf(repository))
  const asWhom = covered.find(isNeighbour) ?? covered[0]
  if (asWhom === undefined) return repository
  const answer = await callAs(asWhom.identity, purpose)('GET', repositoryPath(repository), signal)
  const parsed = repositorySchema.safeParse(answer.status === 200 ? answer.body : null)
  return parsed.success ? parsed.data.full_name : repository
}

async function uncovered(
  authority: Authority,
  { refused }: Coverage,
  repository: string,
  signal: AbortSignal,
): Promise<Unreachable> {
  const owner = ownerKey(ownerOf(repository))
  const refusal = refused.find(({ item }) => item.owner === owner)?.refusal
  if (refusal?.incident) return { repository, incident: refusal.incident, reason: refusal.reason }
  const installations = (await authority.installations(purpose, signal)) ?? []
  if (installations.find((each) => each.owner === owner)?.isSuspended) {
    const reason = `The App is suspended at ${ownerOf(repository)}.`
    return { repository, incident: 'installation-suspended', reason }
  }
  const reason = 'It is not among the repositories that our credentials cover.'
  return { repository, incident: 'repository-not-covered', reason }
}
