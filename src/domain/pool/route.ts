import type { Priority } from '../job/index.ts'
import type { Pool } from './pool.ts'

/**
 * The pool that serves a job: one that has all its labels; of several the one with the fewest labels
 * (the closest fit), then the first by name, so that every process decides alike.
 */
export function routeToPool<P extends Pick<Pool, 'name' | 'labels'>>(
  labels: readonly string[],
  pools: readonly P[],
): P | null {
  const serving = pools.filter((pool) => serves(pool, labels))
  serving.sort((a, b) => a.labels.length - b.labels.length || (a.name < b.name ? -1 : 1))
  return serving[0] ?? null
}

/** Where a waiting job has to go; null: it stays, because its pool is there and serves it, or because none ever did. */
export function reroute<P extends Pick<Pool, 'name' | 'labels'>>(
  job: { readonly pool: string | null; readonly labels: readonly string[] },
  pools: readonly P[],
): { readonly to: P | null } | null {
  const present = pools.find(({ name }) => name === job.pool)
  if (present !== undefined && serves(present, job.labels)) return null
  const to = routeToPool(job.labels, pools)
  return to === null && job.pool === null ? null : { to }
}

/** Forges compare labels without regard to case. A job without any asks for no runner: no pool serves it. */
export function serves(pool: Pick<Pool, 'labels'>, labels: readonly string[]): boolean {
  if (labels.length === 0) return false
  const offered = new Set(pool.labels.map((label) => label.toLowerCase()))
  return labels.every((label) => offered.has(label.toLowerCase()))
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
  // Forges do not tell owners and repositories by case.
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
