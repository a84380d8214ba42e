import {
  nextSurplusAt,
  type SurplusLevel,
  sustainedSurplus,
  trackSurplus,
} from '../../../domain/pool/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { createDemotedKeys, createWorkerPool, type DemotedKeys } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Cause, DeathLedger, PoolCounts, RunnerLedger, RunnerReader } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { sealDeath } from '../../runner/seal/index.ts'
import { neverStarted, type Starter } from '../provision/index.ts'
import { type RemoveDeps, removeIdle } from '../remove/index.ts'
import type { Survey } from './survey.ts'

export interface ShrinkDeps extends RemoveDeps {
  readonly ledger: RunnerLedger & RunnerReader & DeathLedger
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

/** Removes runners that no job needs. */
export interface Shrinker {
  /** Returns when there may be more to remove; null where that is not known now. */
  shrink(survey: Survey): Promise<Instant | null>
  shutDown(): Promise<void>
}

/** Removals at a time: runners that are fenced together share a transaction. */
const removalsAtATimeMax = 32
/** Removals that may be queued (I10). */
const removalsMax = 1_000
const nextBatchMs = 500
const cause: Cause = { source: 'scale' }
const reasons = {
  surplus: 'more runners than needed',
  undeclared: 'its pool is not declared any more',
} as const

export function createShrinker(deps: ShrinkDeps, starter: Starter): Shrinker {
  const levels = new Map<string, readonly SurplusLevel[]>()
  const removals = createWorkerPool(removalsAtATimeMax)
  const demoted = createDemotedKeys()

  async function remove(runner: Runner, reason: string): Promise<void> {
    try {
      if (starter.takeBack(runner.name)) {
        const record = neverStarted(`It was not needed any more: ${reason}.`, deps.clock.now())
        await sealDeath({ runner, record, reason }, cause, deps)
      } else await removeIdle(deps, runner, reason, cause, { isUnneeded: true })
      demoted.restore(runner.name)
    } catch (error) {
      demoted.demote(runner.name) // another of its pool is tried first the next time
      deps.log.warn(
        { err: error, runner: runner.name, reason },
        'a runner could not be removed; looking again',
      )
    }
  }

  /** The number of surplus runners of each pool that have been surplus for long enough. */
  function dueOf({ pools, undeclared }: Survey, now: Instant): Map<string, number> {
    const due = new Map(undeclared.map(({ pool, runners }) => [pool, idleOf(runners)]))
    for (const { pool, plan } of pools) {
      const tracked = trackSurplus(levels.get(pool.name) ?? [], plan.surplus, now)
      levels.set(pool.name, tracked)
      due.set(pool.name, sustainedSurplus(tracked, pool.idleTimeoutMs, now))
    }
    for (const name of levels.keys()) if (!due.has(name)) levels.delete(name)
    return due
  }

  return {
    async shrink(survey) {
      const now = deps.clock.now()
      const due = dueOf(survey, now)
      const next = survey.pools.map(({ pool }) =>
        nextSurplusAt(levels.get(pool.name) ?? [], pool.idleTimeoutMs, now),
      )
      const dueCount = [...due.values()].reduce((sum, count) => sum + count, 0)
      // Removals under way need not be looked for: runners that are not fenced yet still count as due.
      if (dueCount > removals.size()) {
        const undeclared = new Set(survey.undeclared.map(({ pool }) => pool))
        const chosen = choose(await idleRunners(deps), due, demoted)
        for (const runner of chosen) {
          if (removals.size() >= removalsMax) break
          const reason = undeclared.has(runner.pool) ? reasons.undeclared : reasons.surplus
          removals.add(runner.name, () => remove(runner, reason))
        }
        next.push(chosen.length > 0 ? now + nextBatchMs : null)
      } else if (dueCount > 0) next.push(now + nextBatchMs)
      return next.reduce(
        (soonest, at) => (soonest === null || (at !== null && at < soonest) ? at : soonest),
        null,
      )
    },
    shutDown: () => removals.shutDown(),
  }
}

async function idleRunners({ ledger, host }: ShrinkDeps): Promise<readonly Runner[]> {
  return (await ledger.runners(0, { host: host.id, states: ['booting', 'polling'] })).rows
}

/** Runners that are not ready first, then the oldest: a ready runner is of more use. */
function choose(
  runners: readonly Runner[],
  due: ReadonlyMap<string, number>,
  demoted: DemotedKeys,
): readonly Runner[] {
  const idle = runners
    .filter(({ pool }) => (due.get(pool) ?? 0) > 0)
    .sort(
      (a, b) => Number(b.state === 'booting') - Number(a.state === 'booting') || a.createdAt - b.createdAt,
    )
  const byPool = Map.groupBy(
    demoted.order(idle, ({ name }) => name),
    ({ pool }) => pool,
  )
  return [...byPool].flatMap(([pool, rows]) => rows.slice(0, due.get(pool)))
}

function idleOf({ booting, polling }: PoolCounts['runners']): number {
  return booting + polling
}
