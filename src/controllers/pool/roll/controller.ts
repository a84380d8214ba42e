import { planRoll } from '../../../domain/pool/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import {
  again,
  createLastInLine,
  done,
  type LastInLine,
  type Loop,
  type Outcome,
} from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DeclaredPools } from '../../../ports/declared-pools.ts'
import type { Cause } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import { type Crew, createCrew } from '../crew.ts'
import { type RemoveDeps, removeIdle } from '../remove/index.ts'
import { type SurveyDeps, type Surveyed, survey } from '../scale/index.ts'

export interface RollDeps extends RemoveDeps, SurveyDeps {
  readonly host: SurveyDeps['host']
  readonly clock: Clock
  readonly log: Log
  /** Where a template is declared anew; null where it stands in the configuration. */
  readonly pools: Pick<DeclaredPools, 'onChange'> | null
}

const sweepMs = 30_000
/** While old runners are left: so fast the next ones may go after the new ones have become ready. */
const rollingLookMs = 1_000
const gapMs = 1_000
const removalsAtATimeMax = 16
const reason = 'its pool has a new template'
const cause: Cause = { source: 'scale', rule: 'roll' }

/**
 * Replaces runners that were made from an earlier template. Nothing is remembered but that nothing was left to do:
 * what is old is seen on the host, and what is under way in the ledger.
 */
export function rollLoop(deps: RollDeps): Loop {
  const crew = createCrew(removalsAtATimeMax)
  const failed = createLastInLine()
  let finished = ''
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    name: 'pool-roll',
    sweepMs,
    gapMs,
    wokenBy: () => false,
    listen: (ring) => deps.pools?.onChange(ring) ?? (() => undefined),
    async pass() {
      const pools = await deps.ledger.pools()
      const templates = new Map(pools.map(({ name }) => [name, deps.host.template(name)]))
      const now = deps.clock.now()
      const isNet = now - lookedAt >= sweepMs
      if (!isNet && finished === JSON.stringify([...templates])) return done
      lookedAt = now
      const outcome = await reconcile(deps, templates, crew, failed)
      finished = outcome.kind === 'done' ? JSON.stringify([...templates]) : ''
      return outcome
    },
    async ended() {
      finished = ''
      await crew.dismiss()
    },
  }
}

async function reconcile(
  deps: RollDeps,
  templates: ReadonlyMap<string, string | null>,
  crew: Crew,
  failed: LastInLine,
): Promise<Outcome> {
  const old = await namesOfOld(deps, templates)
  if (old.size === 0) return done
  const { rows: idle } = await deps.ledger.runners(0, { states: ['booting', 'polling'] })
  const rows = idle.filter(({ name }) => old.has(name))
  if (rows.length === 0) return done // the others finish
  const { pools } = await survey(deps, deps.clock.now())
  for (const one of pools) {
    const ofPool = rows.filter(({ pool }) => pool === one.pool.name)
    for (const runner of leavers(one, ofPool, failed))
      crew.add(runner.name, () => replace(runner, deps, failed))
  }
  return again(rollingLookMs)
}

/** Those whose program may run a job are not looked at: they finish. */
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

/** All that never got ready, and of the idle ones the oldest, as many as may go now. */
function leavers(
  { pool, counts, plan }: Surveyed,
  old: readonly Runner[],
  failed: LastInLine,
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
  return [...booting, ...failed.order(polling, ({ name }) => name).slice(0, count)]
}

async function replace(runner: Runner, deps: RollDeps, failed: LastInLine): Promise<void> {
  try {
    await removeIdle(deps, runner, reason, cause, { isUnneeded: true })
    failed.answered(runner.name)
  } catch (error) {
    failed.failed(runner.name) // another of its pool goes before it the next time
    deps.log.warn({ err: error, runner: runner.name }, 'an old runner could not be removed; looking again')
  }
}
