import { type BackOff, backOffMs } from '../domain/back-off/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Instant } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { RunnerHost } from '../ports/runner-host.ts'
import { createDelayQueue } from './delay-queue.ts'
import { eachBounded } from './each-bounded.ts'
import { type Loop, type Outcome, requeueAfter } from './loop.ts'

/** A controller of single runners: how all are resynced, and how one is reconciled. */
export interface ReconcilerSpec {
  readonly name: string
  /** How often all runners are compared, because changes may be missed. */
  readonly resyncEveryMs: number
  /** Compares all runners; returns the names to reconcile. Throws where something cannot be read. */
  readonly resync: (signal: AbortSignal) => Promise<readonly string[]>
  readonly reconcile: (name: string, signal: AbortSignal) => Promise<ReconcileResult>
}

/**
 * After how many milliseconds the runner is reconciled again; null: when it changes; `over`: no change of this runner
 * matters here any more, and only a resync brings it back.
 */
export type ReconcileResult = number | null | 'over'

export interface ReconcilerDeps {
  readonly clock: Clock
  readonly host: Pick<RunnerHost, 'onChange'>
  readonly metrics: Metrics
  readonly log: Log
}

/** Runners that are reconciled at a time; each costs a few calls to the ledger and to the host. */
const workersMax = 32
/** A burst of changes makes one pass, not one for each. */
const gapMs = 20
/** Names of one pass, so that a resync is never far off. */
const namesPerPassMax = 500
/** Names that are over and may still change a last time; the oldest are dropped. */
const overMax = 5_000
const failureBackOff: BackOff = { baseMs: 1_000, capMs: 60_000 }

/**
 * A loop that reconciles single runners when they change, and compares all in a slow resync; controller-runtime's
 * `Reconciler` over a work queue and a delay queue. One worker at a time has a runner. A runner that fails is retried with
 * its own back-off and holds up no other.
 */
export function createReconciler(spec: ReconcilerSpec, deps: ReconcilerDeps): Loop {
  const queue = createDelayQueue()
  const failures = new Map<string, number>()
  const over = new Set<string>()
  let resyncAt = Number.NEGATIVE_INFINITY
  let passedAt = Number.NEGATIVE_INFINITY

  function setAside(name: string): void {
    over.add(name)
    queue.delete(name)
    if (over.size > overMax) over.delete(over.values().next().value as string)
  }

  async function resync(now: Instant, signal: AbortSignal): Promise<void> {
    const names = await spec.resync(signal)
    // A name that failed keeps its back-off.
    for (const name of names) {
      over.delete(name)
      if (!failures.has(name)) queue.add(name, now)
    }
    resyncAt = now + spec.resyncEveryMs
  }

  async function reconcile(name: string, signal: AbortSignal): Promise<void> {
    try {
      const result = await spec.reconcile(name, signal)
      failures.delete(name)
      if (result === 'over') setAside(name)
      else if (result !== null) queue.add(name, deps.clock.now() + result)
    } catch (error) {
      if (signal.aborted) throw error
      const times = (failures.get(name) ?? 0) + 1
      failures.set(name, times)
      const retryInMs = backOffMs(failureBackOff, times)
      queue.move(name, deps.clock.now() + retryInMs)
      report(spec.name, name, error, retryInMs, deps)
    }
  }

  async function pass(signal: AbortSignal): Promise<Outcome> {
    const now = deps.clock.now()
    if (now < passedAt) {
      // The clock was set back: no name may wait for a time that is far off now.
      resyncAt = now
      queue.moveAll(now)
    }
    passedAt = now
    // A resync that fails fails the pass, but not before the runners that are known to have changed are reconciled.
    const failedResync =
      now < resyncAt ? undefined : await resync(now, signal).catch((error: unknown) => ({ error }))
    // The names leave the queue here: a change from now on is kept for the next pass.
    const due = queue.take(now, namesPerPassMax)
    await eachBounded(due, workersMax, (name) => reconcile(name, signal), signal)
    if (failedResync !== undefined) throw failedResync.error
    const next = Math.min(queue.nextAt() ?? resyncAt, resyncAt)
    return requeueAfter(Math.max(0, next - deps.clock.now()))
  }

  return {
    name: spec.name,
    resyncMs: spec.resyncEveryMs,
    gapMs,
    wokenBy: () => false,
    subscribe(notify) {
      resyncAt = Number.NEGATIVE_INFINITY // earlier changes were missed
      return deps.host.onChange((name) => {
        if (over.has(name)) return
        // A name that failed keeps its back-off, so that a flood of changes cannot make a storm of failures.
        if (!failures.has(name)) queue.add(name, deps.clock.now())
        notify()
      })
    },
    pass,
  }
}

function report(loop: string, runner: string, error: unknown, retryInMs: number, deps: ReconcilerDeps): void {
  deps.metrics.count('holdfast_task_failures_total', { task: loop })
  const fields = { loop, runner, retryInMs, err: error }
  const isRetryable = error instanceof HoldfastError && error.entry.retryable
  if (isRetryable) deps.log.warn(fields, 'a runner could not be reconciled and is retried')
  else deps.log.error(fields, 'a runner could not be reconciled, unexpectedly, and is retried')
}
