import {
  type Quarantine,
  quarantine,
  quarantineWindowMs,
  type StartFailure,
  type StartSuccess,
} from '../../../domain/node/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { HostedRunner, HostNode } from '../../../ports/runner-host.ts'
import type { NodeHealthDeps } from './deps.ts'

export interface Judged {
  readonly quarantined: readonly Quarantine[]
  /** Pools whose runners failed on each node. */
  readonly poolsOf: ReadonlyMap<string, readonly string[]>
}

const nothing: Judged = { quarantined: [], poolsOf: new Map() }
/** A runner that never ran can be removed at once: a node that has not done so after this time is not working. */
const stuckAfterMs = 60_000

/**
 * Decides which nodes to avoid, by failed starts on record and by removals that make no progress. A healthy fleet costs one
 * query. Runners that started are remembered: a node does not become healthy because runners elsewhere have ended.
 */
export function createJudge(deps: NodeHealthDeps): (nodes: readonly HostNode[]) => Promise<Judged> {
  const { ledger, host, clock } = deps
  const latest = new Map<string, StartSuccess>()

  function remember(successes: readonly StartSuccess[], now: Instant): readonly StartSuccess[] {
    for (const success of successes) {
      const key = `${success.node} ${success.pool}`
      if (success.madeAt >= (latest.get(key)?.madeAt ?? 0)) latest.set(key, success)
    }
    for (const [key, { madeAt }] of latest) if (madeAt < now - quarantineWindowMs) latest.delete(key)
    return [...latest.values(), ...successes]
  }

  return async (nodes) => {
    const ended: readonly StartFailure[] = await ledger.failedStarts(host.id, quarantineWindowMs)
    const hosted = await host.list()
    const now = clock.now()
    const leaving = hosted.filter(isLeaving)
    const failed = [...ended, ...hosted.flatMap(silentStart)]
    if (failed.length === 0 && leaving.length === 0) return nothing
    const { rows, unreadable } = await ledger.runners(0)
    const mayHaveAsked = new Set([...namesOf(rows.filter(hasAsked)), ...namesOf(unreadable)])
    const failures = [...failed, ...stuckStarts(leaving, mayHaveAsked, now)]
    const successes = remember(successesOf(rows, hosted), now)
    const readyNodes = nodes
      .filter(({ isReady, isCordoned }) => isReady && !isCordoned)
      .map(({ name }) => name)
    const quarantined = quarantine({ failures, successes, readyNodes }, now)
    const byNode = Map.groupBy(failures, ({ node }) => node)
    const poolsOf = new Map([...byNode].map(([node, of]) => [node, [...new Set(of.map(({ pool }) => pool))]]))
    return { quarantined, poolsOf }
  }
}

function hasAsked({ polledAt }: Runner): boolean {
  return polledAt !== null
}

function namesOf(runners: readonly { readonly name: string }[]): string[] {
  return runners.map(({ name }) => name)
}

function silentStart({ node, pool, problem }: HostedRunner): StartFailure[] {
  return node !== null && problem?.kind === 'NodeSilent' ? [{ node, pool, at: problem.since }] : []
}

function isLeaving({ state, program, leavingSince }: HostedRunner): boolean {
  return state === 'running' && program !== 'started' && leavingSince !== null
}

/**
 * Runners that were asked to go and never polled, and that their node does not remove; also those whose row has ended,
 * because no other controller waits for them.
 */
function stuckStarts(
  leaving: readonly HostedRunner[],
  mayHaveAsked: ReadonlySet<string>,
  now: Instant,
): StartFailure[] {
  return leaving.flatMap(({ name, node, pool, leavingSince: at }) => {
    const isStuck = at !== null && now >= at + stuckAfterMs && !mayHaveAsked.has(name)
    return isStuck && node !== null ? [{ node, pool, at }] : []
  })
}

function successesOf(rows: readonly Runner[], hosted: readonly HostedRunner[]): StartSuccess[] {
  const places = new Map(hosted.map(({ name, node }) => [name, node]))
  return rows.flatMap(({ name, pool, polledAt, createdAt }) => {
    const node = places.get(name) ?? null
    return node === null || polledAt === null ? [] : [{ node, pool, madeAt: createdAt }]
  })
}
