import { HoldfastError } from '../../../domain/errors/index.ts'
import { isLive, type Runner } from '../../../domain/runner/index.ts'
import { createReconciler, done, type Loop, type Outcome, type ReconcileResult } from '../../../loop/index.ts'
import { bindPod } from '../bind-pod.ts'
import type { LifecycleDeps } from './deps.ts'
import { createLifecycleState, type LifecycleState } from './lifecycle-state.ts'
import { sealAndRelease } from './seal.ts'
import { treatStray } from './stray.ts'

export type { LifecycleDeps } from './deps.ts'

/** For a host that costs nothing to list, as on one machine. */
const resyncEveryMs = 2_000

/**
 * The one owner of report-then-remove: the end of a runner is sealed in the ledger, and only then the rest of it is
 * released. Runners that only one side knows are resolved here too.
 */
export function lifecycleLoop(deps: LifecycleDeps): Loop {
  const state = createLifecycleState()
  return createReconciler(
    {
      name: 'runner-lifecycle',
      resyncEveryMs: deps.resyncEveryMs ?? resyncEveryMs,
      resync: () => resync(deps, state),
      reconcile: (name, signal) => reconcile(name, deps, state, signal),
    },
    deps,
  )
}

/** Reconciles every runner once, one after another; the first failure ends it. */
export async function reconcileAll(deps: LifecycleDeps): Promise<Outcome> {
  const state = createLifecycleState()
  const { signal } = new AbortController()
  for (const name of await resync(deps, state)) await reconcile(name, deps, state, signal)
  return done
}

/** Like `reconcileAll`, but a failure does not stop the others; returns the failures by name. */
export async function reconcileEach(
  deps: LifecycleDeps,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Error>> {
  const state = createLifecycleState()
  const failed = new Map<string, Error>()
  for (const name of await resync(deps, state)) {
    try {
      await reconcile(name, deps, state, signal)
    } catch (error) {
      failed.set(name, error instanceof Error ? error : new Error(String(error)))
    }
  }
  return failed
}

/** Returns the names on which the host and the ledger differ. */
async function resync(deps: LifecycleDeps, state: LifecycleState): Promise<readonly string[]> {
  const { ledger, host, startProblems } = deps
  // The ledger first: a runner is enrolled before it is started, so that a runner on the host is known or a stray.
  const { rows, unreadable } = await ledger.runners(0)
  const live = rows.filter((runner) => isLive(runner) && runner.host === host.id)
  const hosted = await host.list()
  // A runner that only a newer version can read is no stray, and only that version can judge whether it is missing.
  const known = new Set([...live, ...unreadable].map(({ name }) => name))
  const present = new Set(hosted.map(({ name }) => name))
  // A start whose answer was lost, or a process that ended between a start and this: the first sight of the pod binds it.
  for (const runner of live)
    if (runner.podUid === null && present.has(runner.name)) await bindApart(runner, deps)
  const strays = hosted.filter(({ name, state }) => state === 'running' && !known.has(name))
  state.keepStrays(strays.map(({ name }) => name))
  startProblems?.showStrays([...state.lingering.values()])
  const exited = hosted.filter(({ state }) => state === 'exited')
  const missing = live.filter(({ name, state }) => state !== 'booting' && !present.has(name))
  return [...exited, ...strays, ...missing].map(({ name }) => name)
}

/** A runner that cannot be bound now is bound by the next resync, and must not keep the others from their end. */
async function bindApart(runner: Runner, deps: LifecycleDeps): Promise<void> {
  try {
    await bindPod(runner, deps)
  } catch (error) {
    if (error instanceof HoldfastError && error.entry.retryable) throw error
    deps.metrics.count('holdfast_task_failures_total', { task: 'runner-lifecycle' })
    deps.log.error(
      { runner: runner.name, err: error },
      'a runner could not be bound to its pod; looking again',
    )
  }
}

async function reconcile(
  name: string,
  deps: LifecycleDeps,
  state: LifecycleState,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const hosted = await deps.host.find(name, signal)
  if (hosted === null) return missed(name, deps, state)
  // Most changes of a running runner need nothing here, and cost neither the mutex nor a read of the ledger.
  if (hosted.state === 'running' && !state.isStray(name)) return null
  return deps.runnerMutex.run(name, () => reconcileLocked(name, deps, state, signal))
}

/** Decides by the state that the host reports once the mutex of the runner is held. */
async function reconcileLocked(
  name: string,
  deps: LifecycleDeps,
  state: LifecycleState,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const hosted = await deps.host.find(name, signal)
  if (hosted === null) return missed(name, deps, state)
  if (hosted.state === 'exited') return sealAndRelease(hosted, deps, state)
  return state.isStray(name) ? treatStray(hosted, deps, state) : null
}

/** The rule `vanished-runner` decides, by the host's own facts. */
async function missed(name: string, { ledger, host }: LifecycleDeps, state: LifecycleState): Promise<null> {
  state.forget(name)
  const runner = await ledger.findRunner(name)
  if (runner !== null && isLive(runner) && runner.host === host.id && runner.state !== 'booting') {
    await ledger.postpone({ kind: 'runner', id: runner.id }, 0)
  }
  return null
}
