import { isLive, type Runner } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { Violation, Watched } from '../checkers.ts'
import { allJobs, allRunners, allTimeline, type State } from '../ledger/index.ts'
import type { Cluster, ClusterDeps } from './cluster.ts'
import { viewAgeMaxMs } from './host.ts'
import { isOver, type Pod } from './model.ts'

export interface FleetChecks {
  /** Whether Holdfast made it. */
  readonly isOurs: (name: string) => boolean
  readonly hooks: Pick<ClusterDeps, 'onGone' | 'onCreate'>
  /** Called when Holdfast ends a pod. */
  readonly onStop: (runner: string) => void
  readonly onAvoid: (nodes: readonly string[]) => void
  /** Called when the last of a deleted pool is said to be gone. */
  readonly onReleased: (pool: string) => void
  check(watched: Watched): Violation | null
  checkRest(watched: Watched): Violation | null
}

/** Between the look at the queue and the row of a runner that is made for it. */
const decidedWithinMs = 30_000

/** Between two looks at the nodes, which are rarer here than in the program. */
const judgedWithinMs = 3 * 60_000

/** The invariants of pods, checked when a change could break them. */
export function createFleetChecks(rows: Readonly<State>, clusterOf: () => Cluster): FleetChecks {
  let found: Violation | null = null
  /** Every pod that ever existed. */
  const made = new Set<string>()
  /** Pods that people created: they have no row until their end is recorded. */
  const byHand = new Set<string>()
  let evidenceSeen = 0
  let runnersSeen = 0
  let lookedAt: Instant = 0
  /** Nodes that were out of service since we last looked at them all. */
  const unfit = new Map<string, Instant>()
  /** When each runner could last not be read: till then it counted as one that may be at work. */
  const unread = new Map<number, Instant>()
  const warm = mostLately()
  const allowed = mostLately()
  const fail = (invariant: string, what: string) => {
    found ??= { invariant, what }
  }
  const rowOf = (name: string): Runner | undefined => allRunners(rows).find((runner) => runner.name === name)

  return {
    isOurs: (name) => !byHand.has(name),
    hooks: {
      onCreate({ name }, by) {
        made.add(name)
        if (by === 'other') byHand.add(name)
        else if (rowOf(name) === undefined) fail('enrolled', `${name} was made, and the ledger never had it`)
      },
      onGone({ name }, by) {
        const row = rowOf(name)
        if (by === 'holdfast' && !byHand.has(name) && (row === undefined || isLive(row)))
          fail('I5', `${name} was removed before its end was sealed`)
      },
    },
    onStop(name) {
      // The forge does not know pods that people created: only their own container shows that they are idle.
      const pod = clusterOf().pods.get(name)
      if (byHand.has(name) && pod?.status.runner.state === 'running' && isSeen(pod))
        fail('I4', `${name}, which people made, was deleted, and its program had started`)
    },
    onAvoid(nodes) {
      const { nodes: all } = clusterOf()
      // Nodes that their own people or the cluster took out, be it a while ago, are not our judgement.
      const judged = nodes.filter((name) => all.has(name) && !unfit.has(name))
      if (judged.length * 2 >= all.size && judged.length > 0)
        fail('quarantine', `${judged.join(', ')} of ${all.size} nodes are avoided`)
    },
    onReleased(pool) {
      // Only the watch shows pods that people created without a row; one that it has not shown yet is a stray later.
      const isUnseen = ({ name, createdAt }: Pod) => byHand.has(name) && lookedAt - createdAt < viewAgeMaxMs
      const left = [...clusterOf().pods.values()].find((pod) => pod.pool === pool && !isUnseen(pod))
      if (left !== undefined) fail('pool', `${pool} is released, and ${left.name} is there`)
      const counted = [...rows.runners.values()].find((row) => row.pool === pool && isLive(row))
      if (counted !== undefined) fail('pool', `${pool} is released, and the ledger counts on ${counted.name}`)
    },
    check({ now }) {
      lookedAt = now
      noteUnfit(now)
      for (const { kind, id } of rows.unreadable.values()) if (kind === 'runner') unread.set(id, now)
      for (const { name, minWarm, maxRunners } of rows.pools.values()) {
        warm.note(name, minWarm, now)
        allowed.note(name, maxRunners, now)
      }
      // By number, not by count: rows leave the tables when they are archived.
      const enrolled = [...rows.runners.values()].filter(({ id }) => id > runnersSeen)
      runnersSeen = enrolled.at(-1)?.id ?? runnersSeen
      for (const { pool, name } of enrolled) {
        if (byHand.has(name)) continue
        withinMax(pool)
        withinNeed(pool, now)
      }
      const sealed = [...rows.evidence.values()].filter(({ id }) => id > evidenceSeen)
      evidenceSeen = sealed.at(-1)?.id ?? evidenceSeen
      for (const { runnerId, record } of sealed) {
        const runner = runnerId === null ? undefined : rows.runners.get(runnerId)
        const pod = runner === undefined ? undefined : clusterOf().pods.get(runner.name)
        if (pod !== undefined) aliveIsNotSealed(pod, String(record.class))
      }
      return found
    },
    checkRest({ now }) {
      // One that people made and that may be at work is left alone for ever; one that never began is not.
      for (const { name, status } of clusterOf().pods.values()) {
        if (byHand.has(name) && status.runner.state === 'waiting') fail('rest', `the copy ${name} is left`)
      }
      for (const name of made) {
        if (byHand.has(name)) continue
        const row = rowOf(name)
        if (row !== undefined && isLive(row) !== clusterOf().pods.has(name))
          fail('I5', `${name} is ${row.state}, and its pod is ${isLive(row) ? 'gone' : 'there'}`)
      }
      for (const pool of rows.pools.values()) {
        const live = [...rows.runners.values()].filter((row) => row.pool === pool.name && isLive(row))
        if (live.length > pool.minWarm)
          fail('rest', `${live.length} runners of ${pool.name} are left, ${pool.minWarm} are kept warm`)
        const old = live.find(({ state, polledAt }) => state !== 'polling' || now - (polledAt ?? 0) > 120_000)
        if (old !== undefined) fail('rest', `${old.name} is left and ${old.state}`)
      }
      return found
    },
  }

  function noteUnfit(now: Instant): void {
    for (const { name, isCordoned, silentSince, pressures } of clusterOf().nodes.values()) {
      if (isCordoned || silentSince !== null || pressures.length > 0) unfit.set(name, now)
      else if (now - (unfit.get(name) ?? 0) > judgedWithinMs) unfit.delete(name)
    }
  }
  function withinMax(name: string): void {
    const max = allowed.of(name)
    const live = [...rows.runners.values()].filter(
      (row) => row.pool === name && isLive(row) && !byHand.has(row.name),
    ).length
    if (live > max) fail('max', `${live} runners of ${name} are counted, ${max} are allowed`)
  }
  /** Every idle runner is for a job that waits, or waited when its row was decided on, or is kept warm. */
  function withinNeed(name: string, now: Instant): void {
    const isIdle = ({ id, pool, state, name: own }: Runner) =>
      pool === name &&
      !byHand.has(own) &&
      (state === 'booting' || state === 'polling') &&
      now - (unread.get(id) ?? Number.NEGATIVE_INFINITY) >= decidedWithinMs
    const idle = [...rows.runners.values()].filter(isIdle).length
    const moved = new Set(
      allTimeline(rows)
        .filter(({ at }) => now - at < decidedWithinMs)
        .map(({ jobId }) => jobId),
    )
    const wanted = allJobs(rows).filter(({ id, state }) => state === 'queued' || moved.has(id)).length
    const kept = warm.of(name)
    if (idle > wanted + kept)
      fail('surplus', `${idle} runners of ${name} wait for ${wanted} jobs, ${kept} warm`)
  }
  /** A pod that its node reports as running has not ended, whatever a watch has not shown yet. */
  function aliveIsNotSealed(pod: Pod, as: string): void {
    if (!isOver(pod.status) && isSeen(pod) && as === 'vanished')
      fail('I5', `the end of ${pod.name} is sealed as ${as}, and it lives`)
  }
  function isSeen({ node, leavingSince }: Pod): boolean {
    return leavingSince === null && clusterOf().nodes.get(node ?? '')?.silentSince === null
  }
}

/** The greatest number that was said of each pool lately: who decided by it may act on it a moment later. */
function mostLately() {
  const reported = new Map<string, { readonly value: number; readonly at: Instant }[]>()
  return {
    of: (pool: string) => Math.max(0, ...(reported.get(pool) ?? []).map(({ value }) => value)),
    note(pool: string, value: number, now: Instant): void {
      const kept = (reported.get(pool) ?? []).filter(
        (each) => each.value !== value && now - each.at < decidedWithinMs,
      )
      reported.set(pool, [...kept, { value, at: now }])
    },
  }
}
