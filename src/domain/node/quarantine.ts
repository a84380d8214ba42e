import type { Instant } from '../time.ts'

/** A failed start on a node: the runner ended before it asked for work, or makes no progress. */
export interface StartFailure {
  readonly node: string
  readonly pool: string
  readonly at: Instant
}

/** A successful start: a runner that asked for work. */
export interface StartSuccess {
  readonly node: string
  readonly pool: string
  readonly madeAt: Instant
}

export interface NodeStarts {
  readonly failures: readonly StartFailure[]
  readonly successes: readonly StartSuccess[]
  /** Nodes that take runners. */
  readonly readyNodes: readonly string[]
}

export interface Quarantine {
  readonly node: string
  /** When the node is used again, unless another start fails on it before. */
  readonly until: Instant
  readonly failureCount: number
}

/** One or two failures may be the runner's own; a third one on the same node is the node's. */
const failuresMin = 3
/** How long after the last failure a node is avoided. */
const avoidedMs = 10 * 60_000
/** Older failures do not count. */
export const quarantineWindowMs = 15 * 60_000

/**
 * Nodes on which starts fail while those of the same pool succeed elsewhere, worst first
 * (docs/incidents/runner-never-registered.md).
 * Always fewer than half of the ready ones, and so never the last: a fault that all have in common, such as an image
 * that does not exist, is not the nodes'. It follows from what is on record, so that a restart changes nothing.
 */
export function quarantine(
  { failures, successes, readyNodes }: NodeStarts,
  now: Instant,
): readonly Quarantine[] {
  const ready = new Set(readyNodes)
  const lately = failures.filter(({ node, at }) => ready.has(node) && at > now - quarantineWindowMs)
  const fresh = successes.filter(({ madeAt }) => madeAt > now - quarantineWindowMs)
  const suspects = [...Map.groupBy(lately, ({ node }) => node)]
    .map(([node, all]) => suspectOf(node, all, { failures: lately, successes: fresh }))
    .filter(({ failureCount, until }) => failureCount >= failuresMin && now < until)
    .sort((a, b) => b.failureCount - a.failureCount || (a.node < b.node ? -1 : 1))
  return suspects.slice(0, minorityOf(ready.size))
}

function suspectOf(
  node: string,
  own: readonly StartFailure[],
  { failures, successes }: Pick<NodeStarts, 'failures' | 'successes'>,
): Quarantine {
  const here = successes.filter((success) => success.node === node)
  // A runner that was created here after a failure and started clears that failure.
  const clearedAt = Math.max(...here.map(({ madeAt }) => madeAt))
  const standing = own.filter(({ at }) => at > clearedAt)
  const blamed = [...Map.groupBy(standing, ({ pool }) => pool)].flatMap(([pool, ofPool]) => {
    const isElsewhere = (start: { node: string; pool: string }) => start.pool === pool && start.node !== node
    const elsewhere = { failures: failures.filter(isElsewhere), successes: successes.filter(isElsewhere) }
    return worksElsewhere(elsewhere, Math.min(...ofPool.map(({ at }) => at))) ? ofPool : []
  })
  const until = Math.max(...blamed.map(({ at }) => at)) + avoidedMs
  return { node, until, failureCount: blamed.length }
}

/**
 * Whether starts of the pool succeed on other nodes: one created since the failures began, or the last one tried there. A
 * scheduler that prefers the bad node creates no newer ones elsewhere.
 */
function worksElsewhere(
  { failures, successes }: Pick<NodeStarts, 'failures' | 'successes'>,
  since: Instant,
): boolean {
  const lastFailedAt = Math.max(...failures.map(({ at }) => at))
  return successes.some(({ madeAt }) => madeAt >= since || madeAt >= lastFailedAt)
}

function minorityOf(count: number): number {
  return Math.max(0, Math.ceil(count / 2) - 1)
}
