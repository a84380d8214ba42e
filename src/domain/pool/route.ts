import type { JobOrigin, Priority } from '../job/index.ts'
import type { Pool } from './pool.ts'

/** The fields of a job that decide its route. */
export interface Routed extends JobOrigin {
  readonly labels: readonly string[]
  /** `owner/name`. */
  readonly repository: string
}

type Serving = Pick<Pool, 'name' | 'labels' | 'repositories' | 'publicRepositories' | 'forks'>

/** Why a pool that has a job's labels does not take it. The last two: the forge has not said, and it matters. */
export type Refusal = 'repository' | 'public' | 'fork' | 'visibility-unknown' | 'origin-unknown'

/**
 * The pool that serves a job: one that has all its labels and takes what it runs; of several the one with the fewest
 * labels (the closest fit), then the first by name, so that every process decides alike.
 */
export function routeToPool<P extends Serving>(job: Routed, pools: readonly P[]): P | null {
  const serving = pools.filter((pool) => serves(pool, job))
  serving.sort((a, b) => a.labels.length - b.labels.length || (a.name < b.name ? -1 : 1))
  return serving[0] ?? null
}

/** Where a waiting job has to go; null: it stays, because its pool is there and serves it, or because none ever did. */
export function reroute<P extends Serving>(
  job: Routed & { readonly pool: string | null },
  pools: readonly P[],
): { readonly to: P | null } | null {
  const present = pools.find(({ name }) => name === job.pool)
  if (present !== undefined && serves(present, job)) return null
  const to = routeToPool(job, pools)
  return to === null && job.pool === null ? null : { to }
}

export function serves(pool: Serving, job: Routed): boolean {
  return hasLabels(pool, job.labels) && refusalOf(pool, job) === null
}

/** Forges compare labels without regard to case. A job without any asks for no runner: no pool serves it. */
export function hasLabels(pool: Pick<Pool, 'labels'>, labels: readonly string[]): boolean {
  if (labels.length === 0) return false
  const offered = new Set(pool.labels.map((label) => label.toLowerCase()))
  return labels.every((label) => offered.has(label.toLowerCase()))
}

/** Whether a pool takes jobs of a repository. An empty list is a pool that takes none, not one that forgot to say. */
export function admits({ repositories }: Pick<Pool, 'repositories'>, repository: string): boolean {
  if (repositories === undefined) return true
  const folded = repository.toLowerCase()
  return repositories.some((pattern) => matches(pattern.toLowerCase(), folded))
}

/**
 * Why a pool does not take what a job runs; null: it does. What a pool refuses unless it is proven otherwise stays
 * outside as long as nobody knows; a pool that an older version declared says nothing, and refuses.
 */
export function refusalOf(
  pool: Omit<Serving, 'name' | 'labels'>,
  job: Omit<Routed, 'labels'>,
): Refusal | null {
  const { repository, visibility, isFork } = job
  if (!admits(pool, repository)) return 'repository'
  if (pool.publicRepositories !== 'allow' && visibility !== 'private')
    return visibility === 'public' ? 'public' : 'visibility-unknown'
  const takesForks = pool.forks === 'allow' || (pool.forks !== 'refuse' && visibility === 'private')
  if (takesForks || isFork === false) return null
  return isFork === true ? 'fork' : 'origin-unknown'
}

/** A pool that has a job's labels, and why it does not take the job. */
export interface ClosedPool {
  readonly name: string
  readonly refusal: Refusal
}

/** Pools that have a job's labels and do not take it, by name: why none serves it. */
export function closedTo(job: Routed, pools: readonly Serving[]): readonly ClosedPool[] {
  return pools
    .filter((pool) => hasLabels(pool, job.labels))
    .flatMap((pool) => {
      const refusal = refusalOf(pool, job)
      return refusal === null ? [] : [{ name: pool.name, refusal }]
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Whether a pool would serve a job if only the forge said what it runs. */
export function needsOrigin(job: Routed, pools: readonly Serving[]): boolean {
  return closedTo(job, pools).some(
    ({ refusal }) => refusal === 'visibility-unknown' || refusal === 'origin-unknown',
  )
}

/** The class of a job in a pool. */
export function priorityOf(
  pool: Pick<Pool, 'priorities'>,
  job: { readonly repository: string; readonly name: string },
): Priority {
  const rule = pool.priorities.find(
    (candidate) =>
      matches(candidate.repository.toLowerCase(), job.repository.toLowerCase()) &&
      (candidate.job === undefined || matches(candidate.job, job.name)),
  )
  return rule?.class ?? 'normal'
}

export function weightOf(pool: Pick<Pool, 'fairness'>, repository: string): number {
  const { weights } = pool.fairness
  const exact = weights[repository]
  if (exact !== undefined) return exact
  // Forges ignore the case of owners and repositories.
  const folded = repository.toLowerCase()
  const name = Object.keys(weights).find((each) => each.toLowerCase() === folded)
  return name === undefined ? 1 : (weights[name] ?? 1)
}

/** `*` matches any run of characters. Written as a scan, because patterns come from users and must not explode. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*')
  const first = parts[0] as string
  const last = parts[parts.length - 1] as string
  if (parts.length === 1) return pattern === text
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false
  let from = first.length
  const end = text.length - last.length
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from)
    if (at < 0 || at + part.length > end) return false
    from = at + part.length
  }
  return true
}
