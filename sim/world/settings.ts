import type { ControlSettings } from '../../src/control/index.ts'
import type { DispatchSettings } from '../../src/dispatch/index.ts'
import { type Pool, poolDefaults } from '../../src/domain/pool/index.ts'
import type { Origins } from './origins.ts'
import type { Random } from './random.ts'
import { repositories } from './workload.ts'

export const installation = 'sim'

/** The pool of a history on machines; a cluster declares its own. */
export const pool: Pool = {
  ...poolDefaults,
  name: 'local',
  labels: ['self-hosted', 'linux'],
  minWarm: 1,
  maxRunners: 4,
  fairness: { weights: {}, capPerRepository: 3, capPerOwner: null, ageingMs: 30 * 60_000 },
  priorities: [],
  provisioning: { ...poolDefaults.provisioning, startDeadlineMs: 30_000 },
}

/** In some histories each owner has a pool that takes jobs of nobody else; in some a second pool has other rules. */
export function localPools(
  random: Random,
  maxJobMs: number | undefined,
  rules: Origins['rules'],
): readonly Pool[] {
  const [whole, ...others] = withRules({ ...pool, maxJobMs }, rules)
  if (!random.chance(0.2)) return [whole, ...others]
  const owned = [...new Set(repositories.map((repository) => `${repository.split('/')[0]?.toUpperCase()}/*`))]
  const ofOwners = owned.map((each, index) =>
    index === 0
      ? { ...whole, repositories: [each] }
      : { ...whole, name: `local-${index}`, repositories: [each] },
  )
  return [...ofOwners, ...others]
}

/** A pool with its rules about untrusted code, and one more for each of the others. */
export function withRules(given: Pool, rules: Origins['rules']): readonly [Pool, ...Pool[]] {
  if (rules === null) return [given]
  const { publicRepositories: _, forks: __, ...unruled } = given
  // Without a rule it is as an older version declared it.
  const pools = rules.map((each, place) => ({
    ...unruled,
    ...each,
    ...(place > 0 && { name: `${given.name}-rules-${place}` }),
  }))
  return pools as readonly Partial<Pool>[] as readonly [Pool, ...Pool[]]
}

/** Intervals and deadlines of the control loops, shorter than in the program. */
export const control: ControlSettings = {
  installation,
  recoveryTickMs: 2_000,
  redeliverEveryMs: 8_000,
  auditEveryMs: 12_000,
  startDeadlineMs: 60_000,
  stopGraceMs: 5_000,
  archiveAfterMs: 24 * 60 * 60_000,
  keepMs: 48 * 60 * 60_000,
}
/** Deadlines of the dispatch. */
export const dispatch: DispatchSettings = {
  pollMs: 30_000,
  mintDeadlineMs: 20_000,
  registerDeadlineMs: 60_000,
  mintFailuresMax: 5,
}
