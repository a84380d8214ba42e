import { isError } from '../../../domain/errors/index.ts'
import { reasonOf } from '../../../domain/reason.ts'
import { reap } from '../../../domain/remedy/index.ts'
import type { ObjectRef } from '../../../domain/snapshot/index.ts'
import { type Loop, type Outcome, requeueAfter } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CursorLedger, IncidentLedger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RemedyStore } from '../../../ports/remedy-store.ts'
import {
  applyPlan,
  planReap,
  type RemedyDeps,
  type RunnerSources,
  reapTreatment,
} from '../../../remedy/index.ts'
import { createReapIncidents, type ReapIncidents } from './incidents.ts'

/** The runners that the reaper of the controller looks at, and how far it goes. */
export interface ReapMode {
  /** `observe`: plans and notes, and never applies. */
  readonly mode: 'observe' | 'apply'
  /** Null: all of them. */
  readonly sets: readonly ObjectRef[] | null
  /** Narrows all of them; null: everywhere. */
  readonly namespaces: readonly string[] | null
  readonly isStaleGeneration: boolean
  readonly minAgeMs: number
  readonly everyMs: number
}

/** Cluster, forge, trail and plans, opened for one pass. */
export interface OpenReap extends AsyncDisposable {
  readonly remedy: RemedyDeps & RunnerSources
  readonly store: Pick<RemedyStore, 'plans' | 'lock'>
}

/** The mode with the way to open what a pass needs. */
export interface ReapSource extends ReapMode {
  open(signal: AbortSignal): Promise<OpenReap>
}

interface ReapLoopDeps {
  readonly reap: ReapSource
  readonly ledger: CursorLedger & IncidentLedger
  readonly installation: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

const name = 'remedy-reap'
/** A person's run has the lock, or an earlier leader's is about to end. */
const busyRetryMs = 60_000
const failedRetryMs = 5 * 60_000

/**
 * Plans, and in the mode `apply` applies, as `holdfast reap` does, by the same gates and bounds. The times of passes are kept in
 * the ledger, so that a new leader does not begin at once. A pass that fails is an incident, and never throws: others go on. After
 * a run that was escalated it only observes, until a person has ended that incident.
 */
export function reapLoop(deps: ReapLoopDeps): Loop {
  const { reap: source, clock, log, metrics, ledger } = deps
  const incidents = createReapIncidents(deps)
  return {
    name,
    resyncMs: source.everyMs,
    wokenBy: () => false,
    async pass(signal) {
      const waitMs = await untilDueMs(ledger, clock, source.everyMs)
      if (waitMs > 0) return requeueAfter(waitMs)
      try {
        return await reapOnce(deps, incidents, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (isError(error, 'E_REMEDY_BUSY')) {
          log.info({ reason: error.message }, 'another remedy runs: the reaper waits')
          return requeueAfter(busyRetryMs)
        }
        metrics.count('holdfast_task_failures_total', { task: name })
        log.error({ err: error }, 'the reaper failed; it is tried again')
        await incidents.failing(reasonOf(error))
        return requeueAfter(failedRetryMs)
      }
    },
  }
}

/** At most one interval, whatever the clocks of earlier leaders said. */
async function untilDueMs(ledger: CursorLedger, clock: Clock, everyMs: number): Promise<number> {
  const last = await ledger.cursor(name)
  return last === null ? 0 : Math.min(last + everyMs - clock.now(), everyMs)
}

async function reapOnce(
  { reap: source, ledger, clock, log }: ReapLoopDeps,
  incidents: ReapIncidents,
  signal: AbortSignal,
): Promise<Outcome> {
  const { isStaleGeneration, minAgeMs, namespaces } = source
  const mode = source.mode === 'apply' && (await incidents.areOpen()) ? 'observe' : source.mode
  const stack = new AsyncDisposableStack()
  try {
    const { remedy, store } = stack.use(await source.open(signal))
    stack.use(await store.lock())
    const sets = source.sets ?? (await remedy.cluster.listSets(namespaces, signal))
    const { state, plan, hash } = await planReap(reap, { sets, isStaleGeneration, minAgeMs }, remedy, signal)
    if (state === 'planned') await store.plans.write(hash, plan)
    const run =
      state === 'planned' && mode === 'apply'
        ? await applyPlan(reapTreatment(reap, remedy), plan, remedy, signal)
        : null
    const ended = { mode, state: run?.state ?? state, plan: hash, planned: plan.objects.length }
    log.info({ ...ended, removed: run?.treated.length ?? 0, skipped: plan.skipped.length }, 'reaped')
    if (run?.state === 'escalated') await incidents.escalated(hash, run.outcome)
    await incidents.working()
  } finally {
    await stack.disposeAsync()
  }
  await ledger.moveCursor(name, clock.now())
  return requeueAfter(source.everyMs)
}
