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
import type { PoolCounts, PoolLedger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { StartProblems } from '../start-problems.ts'

export interface SurveyDeps {
  readonly ledger: PoolLedger
  readonly host: RunnerHost
  readonly startProblems: StartProblems
  readonly quarantine: { avoided(): readonly string[] }
  readonly log: Log
  readonly metrics: Metrics
}

/** A pool with its counts and its target. */
export interface Surveyed {
  readonly pool: Pool
  readonly counts: PoolCounts
  readonly plan: ScalePlan
  /** How many of the runners to start may begin to boot now. */
  readonly mayStart: number
  /** Whether more may start once the booting runners are ready. */
  readonly waitsForBoots: boolean
  /** When its warm number may change; null: never. */
  readonly nextChangeAt: Instant | null
}

export interface Survey {
  readonly pools: readonly Surveyed[]
  /** Pools that could not be surveyed: their runners stay as they are. */
  readonly unknown: readonly string[]
  /** Pools that are not declared any more and still have runners. */
  readonly undeclared: readonly PoolCounts[]
}

/** Reads what every pool has and needs. Counts come from the ledger alone: a watch that lags never makes a runner twice. */
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
  // Every pool failed: the cause is not a single pool.
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
  const isStalled = deps.startProblems.isStalled(pool.name)
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

/** A stalled pool tries one runner at a time. */
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

/** The host is asked for headroom only where a runner is to be started. */
async function roomFor(
  { name }: Pool,
  wanted: number,
  { host, startProblems }: SurveyDeps,
): Promise<number | null> {
  const room = wanted > 0 ? await host.headroom(name) : { more: null, problem: null }
  startProblems.note(name, 'room', room.problem)
  return room.more
}
