import { HoldfastError } from '../../../domain/errors/index.ts'
import { isLive, type Runner } from '../../../domain/runner/index.ts'
import { done, type Loop, type Outcome } from '../../../loop/index.ts'
import { bindPod } from '../bind-pod.ts'
import { keyedLoop, type WorkedOn } from '../keyed/index.ts'
import type { LifecycleDeps } from './deps.ts'
import { createMemory, type Memory } from './memory.ts'
import { sealAndRelease } from './seal.ts'
import { treatStray } from './stray.ts'

export type { LifecycleDeps } from './deps.ts'

/** Where the host costs nothing to list, as on one machine. */
const compareEveryMs = 2_000

/**
 * The one owner of report-then-remove: a runner that ended is sealed in the ledger, and only then is what is
 * left of it released. Runners that one side knows and the other does not are resolved here too.
 */
export function lifecycleLoop(deps: LifecycleDeps): Loop {
  const memory = createMemory()
  return keyedLoop(
    {
      name: 'runner-lifecycle',
      compareEveryMs: deps.compareEveryMs ?? compareEveryMs,
      compare: () => compare(deps, memory),
      work: (name, signal) => workOn(name, deps, memory, signal),
    },
    deps,
  )
}

/** All of it once, one runner after another; the first failure ends it. */
export async function reconcile(deps: LifecycleDeps): Promise<Outcome> {
  const memory = createMemory()
  const { signal } = new AbortController()
  for (const name of await compare(deps, memory)) await workOn(name, deps, memory, signal)
  return done
}

/** The same, where one runner must not keep the others from their end; gives what failed, by name. */
export async function reconcileEach(
  deps: LifecycleDeps,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Error>> {
  const memory = createMemory()
  const failed = new Map<string, Error>()
  for (const name of await compare(deps, memory)) {
    try {
      await workOn(name, deps, memory, signal)
    } catch (error) {
      failed.set(name, error instanceof Error ? error : new Error(String(error)))
    }
  }
  return failed
}

/** The names that the host and the ledger do not see alike. */
async function compare(deps: LifecycleDeps, memory: Memory): Promise<readonly string[]> {
  const { ledger, host, troubles } = deps
  // The ledger first: a runner is enrolled before it is started, so whatever the host has later is known or a stray.
  const { rows, unreadable } = await ledger.runners(0)
  const live = rows.filter((runner) => isLive(runner) && runner.host === host.id)
  const hosted = await host.list()
  // What only a newer version can read is no stray, and whether it is missing is for that version to say.
  const known = new Set([...live, ...unreadable].map(({ name }) => name))
  const present = new Set(hosted.map(({ name }) => name))
  // A start whose answer was lost, or a process that ended between a start and this: whoever sees the pod first says so.
  for (const runner of live)
    if (runner.podUid === null && present.has(runner.name)) await bindApart(runner, deps)
  const strays = hosted.filter(({ name, state }) => state === 'running' && !known.has(name))
  memory.keepStrays(strays.map(({ name }) => name))
  troubles?.showStrays([...memory.lingering.values()])
  const exited = hosted.filter(({ state }) => state === 'exited')
  const missing = live.filter(({ name, state }) => state !== 'booting' && !present.has(name))
  return [...exited, ...strays, ...missing].map(({ name }) => name)
}

/** One that cannot be bound now is seen by the next comparison, and must not keep the others from their end. */
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

async function workOn(
  name: string,
  deps: LifecycleDeps,
  memory: Memory,
  signal: AbortSignal,
): Promise<WorkedOn> {
  const hosted = await deps.host.find(name, signal)
  if (hosted === null) return missed(name, deps, memory)
  // Most changes of a runner that runs concern nobody here, and cost neither a turn nor a question to the ledger.
  if (hosted.state === 'running' && !memory.isStray(name)) return null
  return deps.turns.take(name, () => workInTurn(name, deps, memory, signal))
}

/** By what the host says once nobody else is at work on it. */
async function workInTurn(
  name: string,
  deps: LifecycleDeps,
  memory: Memory,
  signal: AbortSignal,
): Promise<WorkedOn> {
  const hosted = await deps.host.find(name, signal)
  if (hosted === null) return missed(name, deps, memory)
  if (hosted.state === 'exited') return sealAndRelease(hosted, deps, memory)
  return memory.isStray(name) ? treatStray(hosted, deps, memory) : null
}

/** `vanished-runner` decides, on the host's own word. */
async function missed(name: string, { ledger, host }: LifecycleDeps, memory: Memory): Promise<null> {
  memory.forget(name)
  const runner = await ledger.findRunner(name)
  if (runner !== null && isLive(runner) && runner.host === host.id && runner.state !== 'booting') {
    await ledger.postpone({ kind: 'runner', id: runner.id }, 0)
  }
  return null
}
