import {
  bootingRoom,
  countPlaces,
  nextWindowChange,
  type Pool,
  planScale,
  type ScalePlan,
  warmNow,
} from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Ledger, PoolCounts } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { TroubleBoard } from '../trouble-board.ts'

export interface SurveyDeps {
  readonly ledger: Ledger
  readonly host: RunnerHost
  readonly troubles: TroubleBoard
  readonly quarantine: { avoided(): readonly string[] }
  readonly log: Log
  readonly metrics: Metrics
}

/** A pool, what it has, and what it ought to have. */
export interface Surveyed {
  readonly pool: Pool
  readonly counts: PoolCounts
  readonly plan: ScalePlan
  /** How many of those that are to be started may begin to boot now. */
  readonly mayStart: number
  /** Whether more will be able to when those that boot are ready. */
  readonly waitsForBoots: boolean
  /** When its warm number may become another; null: never. */
  readonly nextChangeAt: Instant | null
}

export interface Survey {
  readonly pools: readonly Surveyed[]
  /** Pools of which something could not be told: their runners stay as they are. */
  readonly unknown: readonly string[]
  /** Pools that nobody declares any more, and whose runners are still there. */
  readonly undeclared: readonly PoolCounts[]
}

/** What every pool has and needs. Counts come from the ledger alone: a watch that lags never makes a runner twice. */
export async function survey(deps: SurveyDeps, now: Instant): Promise<Survey> {
  const { ledger, host } = deps
  const [declared, counts, nodes] = await Promise.all([ledger.pools(), ledger.counts(), host.nodes()])
  const byName = new Map(counts.map((row) => [row.pool, row]))
  const places = countPlaces(nodes, deps.quarantine.avoided())
  const tried = await Promise.allSettled(
    declared.flatMap((pool) => {
      const of = byName.get(pool.name)
      return of === undefined ? [] : [surveyPool(pool, of, places, deps, now).catch(naming(pool))]
    }),
  )
  const pools = tried.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const failures = tried.flatMap((each) => (each.status === 'rejected' ? [each.reason as PoolFailure] : []))
  // All of them: that is no matter of one pool.
  if (pools.length === 0 && failures[0] !== undefined) throw failures[0].error
  for (const { pool, error } of failures) {
    deps.metrics.count('holdfast_task_failures_total', { task: 'pool-scale' })
    deps.log.warn({ pool, err: error }, 'what a pool needs is not known; its runners stay as they are')
  }
  const names = new Set(declared.map(({ name }) => name))
  const undeclared = counts.filter(({ pool }) => !names.has(pool))
  return { pools, unknown: failures.map(({ pool }) => pool), undeclared }
}

interface PoolFailure {
  readonly pool: string
  readonly error: unknown
}

function naming({ name: pool }: Pool): (error: unknown) => Promise<never> {
  return (error) => Promise.reject({ pool, error } satisfies PoolFailure)
}

async function surveyPool(
  pool: Pool,
  counts: PoolCounts,
  places: number,
  deps: SurveyDeps,
  now: Instant,
): Promise<Surveyed> {
  const need = needOf(pool, counts, now)
  const isStalled = deps.troubles.isStalled(pool.name)
  const bootable = mayBoot(pool, places, counts.runners.booting, isStalled)
  const plan = planScale({ ...need, roomMore: await roomFor(pool, planScale(need).start, deps) })
  return {
    pool,
    counts,
    plan,
    mayStart: Math.min(plan.start, bootable),
    waitsForBoots: bootable < plan.start && !isStalled,
    nextChangeAt: nextWindowChange(pool, now),
  }
}

/** Where none of a pool's runners gets going, one at a time is tried. */
function mayBoot(pool: Pool, places: number, booting: number, isStalled: boolean): number {
  const room = bootingRoom(pool, places, booting)
  return isStalled ? Math.min(room, Math.max(0, 1 - booting)) : room
}

function needOf(pool: Pool, { queued, dispatchable, runners, unreadable }: PoolCounts, now: Instant) {
  return {
    queued,
    dispatchable,
    idle: runners.booting + runners.polling,
    occupied: runners.claimed + runners.busy + runners.fenced + unreadable,
    warm: warmNow(pool, now),
    maxRunners: pool.maxRunners,
    roomMore: null,
  }
}

/** The host is asked only where something is to be started. */
async function roomFor(
  { name }: Pool,
  wanted: number,
  { host, troubles }: SurveyDeps,
): Promise<number | null> {
  const room = wanted > 0 ? await host.room(name) : { more: null, trouble: null }
  troubles.note(name, 'room', room.trouble)
  return room.more
}
