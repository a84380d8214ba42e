import { planRoll } from '../../../domain/pool/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import {
  createDemotedKeys,
  createWorkerPool,
  type DemotedKeys,
  done,
  type Loop,
  type Outcome,
  requeueAfter,
  type WorkerPool,
} from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DeclaredPools } from '../../../ports/declared-pools.ts'
import type { Cause, PoolLedger, RunnerLedger, RunnerReader } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import { type RemoveDeps, removeIdle } from '../remove/index.ts'
import { type SurveyDeps, type Surveyed, survey } from '../scale/index.ts'

export interface RollDeps extends RemoveDeps, SurveyDeps {
  readonly ledger: PoolLedger & RunnerLedger & RunnerReader
  readonly host: SurveyDeps['host']
  readonly clock: Clock
  readonly log: Log
  /** The source of declared templates; null where pools are in the configuration. */
  readonly pools: Pick<DeclaredPools, 'onChange'> | null
}

const resyncMs = 30_000
/** While old runners are left: how soon the next ones may go after new ones have become ready. */
const rollingLookMs = 1_000
const gapMs = 1_000
const removalsAtATimeMax = 16
const reason = 'its pool has a new template'
const cause: Cause = { source: 'scale', rule: 'roll' }

/**
 * Replaces runners that were made from an earlier template. The loop only remembers that nothing was left to do: old
 * runners are found on the host, and replacements under way in the ledger.
 */
export function rollLoop(deps: RollDeps): Loop {
  const removals = createWorkerPool(removalsAtATimeMax)
  const demoted = createDemotedKeys()
  let finished = ''
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    name: 'pool-roll',
    resyncMs,
    gapMs,
    wokenBy: () => false,
    subscribe: (notify) => deps.pools?.onChange(notify) ?? (() => undefined),
    async pass() {
      const pools = await deps.ledger.pools()
      const templates = new Map(pools.map(({ name }) => [name, deps.host.template(name)]))
      const now = deps.clock.now()
      const isNet = now - lookedAt >= resyncMs
      if (!isNet && finished === JSON.stringify([...templates])) return done
      lookedAt = now
      const outcome = await reconcile(deps, templates, removals, demoted)
      finished = outcome.kind === 'done' ? JSON.stringify([...templates]) : ''
      return outcome
    },
    async ended() {
      finished = ''
      await removals.shutDown()
    },
  }
}

async function reconcile(
  deps: RollDeps,
  templates: ReadonlyMap<string, string | null>,
  removals: WorkerPool,
  demoted: DemotedKeys,
): Promise<Outcome> {
  const old = await namesOfOld(deps, templates)
  if (old.size === 0) return done
  const { rows: idle } = await deps.ledger.runners(0, { states: ['booting', 'polling'] })
  const rows = idle.filter(({ name }) => old.has(name))
  if (rows.length === 0) return done // the other old runners finish their jobs
  const { pools } = await survey(deps, deps.clock.now())
  for (const one of pools) {
    const ofPool = rows.filter(({ pool }) => pool === one.pool.name)
    for (const runner of leavers(one, ofPool, demoted))
      removals.add(runner.name, () => replace(runner, deps, demoted))
  }
  return requeueAfter(rollingLookMs)
}

/** Lists old runners; those whose program may run a job are left out, and finish. */
async function namesOfOld(
  { host }: RollDeps,
  templates: ReadonlyMap<string, string | null>,
): Promise<ReadonlySet<string>> {
  if ([...templates.values()].every((template) => template === null)) return new Set()
  const old = (await host.list()).filter(({ pool, state, program, template, leavingSince }) => {
    const newest = templates.get(pool) ?? null
    const isOld = template !== null && newest !== null && template !== newest
    return isOld && state === 'running' && program !== 'started' && leavingSince === null
  })
  return new Set(old.map(({ name }) => name))
}

/** All old runners that never became ready, and the oldest idle ones, as many as may go now. */
function leavers(
  { pool, counts, plan }: Surveyed,
  old: readonly Runner[],
  demoted: DemotedKeys,
): readonly Runner[] {
  const booting = old.filter(({ state }) => state === 'booting')
  const polling = old.filter(({ state }) => state === 'polling').sort((a, b) => a.createdAt - b.createdAt)
  const count = planRoll({
    oldPolling: polling.length,
    idle: counts.runners.booting + counts.runners.polling,
    booting: counts.runners.booting,
    leaving: counts.runners.fenced,
    missing: plan.start,
    maxConcurrentPercent: pool.rollout.maxConcurrentPercent,
  })
  return [...booting, ...demoted.order(polling, ({ name }) => name).slice(0, count)]
}

async function replace(runner: Runner, deps: RollDeps, demoted: DemotedKeys): Promise<void> {
  try {
    await removeIdle(deps, runner, reason, cause, { isUnneeded: true })
    demoted.restore(runner.name)
  } catch (error) {
    demoted.demote(runner.name) // another of its pool is tried first the next time
    deps.log.warn({ err: error, runner: runner.name }, 'an old runner could not be removed; looking again')
  }
}
