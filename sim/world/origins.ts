import type { Pool } from '../../src/domain/pool/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { ForgeCore } from '../forge/core/index.ts'
import type { History } from './history.ts'
import { createRandom, type Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { repositories } from './workload.ts'

/** The part of a pool's settings that is about untrusted code. */
type OriginRules = Partial<Pick<Pool, 'publicRepositories' | 'forks'>>

/** The origins of the code of a history's jobs, and the rules of its pools about them. */
export interface Origins {
  /** The rules of the pools, one pool after the other; a pool without any was declared by an older version. */
  readonly rules: readonly [OriginRules, ...OriginRules[]] | null
  /** The fork that has the commits of a new run; none where they are the repository's own. */
  forkOf(repository: string): { readonly fork?: string }
  /** Whether a repository was public, or was not, at some time since then. */
  was(repository: string, isPublic: boolean, since: Instant): boolean
}

const publicRules = ['allow', 'allow', 'refuse', undefined] as const
const forkRules = ['allow', 'privateOnly', 'refuse', undefined] as const
const forkShare = 0.35
const publicShare = 0.5
/** How often somebody publishes a repository, or makes it private again, while there are faults. */
const changesMax = 3

/**
 * In four of ten histories some repositories are public, or become it, runs come from forks, and pools differ in what they
 * take. All others have private repositories without forks, and pools with the defaults.
 */
export function createOrigins(
  seed: number,
  core: ForgeCore,
  scheduler: Scheduler,
  history: History,
  wildMs: number,
): Origins {
  const random = createRandom(seed).fork('origins')
  /** Each change is from one to the other. */
  const changes: { readonly repository: string; readonly at: Instant }[] = []
  const isPublic = (repository: string) => core.repository(repository)?.isPublic ?? false
  const turn = (repository: string, to: boolean) => {
    core.accounts.putRepository(repository, to)
    changes.push({ repository, at: scheduler.now() })
    history.note('people', `make ${repository} ${to ? 'public' : 'private'}`)
  }
  const isMixed = random.chance(0.4)
  if (isMixed) {
    for (const repository of repositories) if (random.chance(publicShare)) turn(repository, true)
    for (let n = random.below(changesMax + 1); n > 0; n -= 1) {
      const repository = random.pick(repositories)
      scheduler.after(random.between(0, wildMs), () => turn(repository, !isPublic(repository)))
    }
  }
  return {
    rules: isMixed ? drawRules(random) : null,
    forkOf: (repository) =>
      isMixed && random.chance(forkShare) ? { fork: `mallory/${repository.split('/')[1]}` } : {},
    was: (repository, asked, since) =>
      isPublic(repository) === asked ||
      changes.some((each) => each.repository === repository && each.at >= since),
  }
}

function drawRules(random: Random): readonly [OriginRules, ...OriginRules[]] {
  const draw = (): OriginRules => {
    const [publicRepositories, forks] = [random.pick(publicRules), random.pick(forkRules)]
    return { ...(publicRepositories && { publicRepositories }), ...(forks && { forks }) }
  }
  return random.chance(0.5) ? [draw()] : [draw(), draw()]
}
