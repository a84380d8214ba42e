import type { StartProblem } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { KeyedMutex } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Cause, DeathLedger, RunnerLedger, RunnerReader } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { Avoidance } from '../../node/health/index.ts'
import { bindPod } from '../../runner/bind-pod.ts'
import { sealDeath } from '../../runner/seal/index.ts'
import type { StartProblems } from '../start-problems.ts'
import { neverStarted } from './never-started.ts'
import {
  allowanceOf,
  backOff,
  createStartQueue,
  fill,
  isIdle,
  isReady,
  type PendingStart,
  reset,
  retryOnNewTemplate,
  type StartQueue,
} from './start-queue.ts'

export type { PendingStart } from './start-queue.ts'

export interface StarterDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly ledger: RunnerLedger & RunnerReader & DeathLedger
  readonly host: RunnerHost
  readonly log: Log
  readonly metrics: Metrics
  readonly startProblems: StartProblems
  /** Shared with the loops that end runners: no runner is started whose end is being sealed. */
  readonly runnerMutex: KeyedMutex
  /** Nodes to avoid: always, or where another one has room. */
  readonly quarantine: Avoidance
}

/**
 * Starts runners that have their rows: a bounded number at a time, the pools in turn. A pool whose starts fail backs
 * off and holds up no other. A start under a name that exists already changes nothing, so that a start whose outcome is
 * unknown is retried.
 */
export interface Starter {
  add(starts: readonly PendingStart[]): void
  /** How many more starts of a pool the starter takes now. */
  allowance(pool: string): number
  /** Until when no start of a pool is tried; null where it is not paused. */
  pausedUntil(pool: string): Instant | null
  /** Withdraws a start that has not begun; false where something of the runner may exist. */
  takeBack(name: string): boolean
  /** Calls back when there is room for more starts, or when a pool's starts succeed again. */
  onRoom(callback: () => void): () => void
  /** Drops the queued starts; resolves when those under way are done. */
  shutDown(): Promise<void>
}

/** As many concurrent creates as an API server takes from one client without making others wait. */
const startsAtATimeMax = 16
const cause: Cause = { source: 'scale' }
/** A start that was begun is never aborted, so that a shutdown finds every runner where it looks for them. */
const neverAborted = new AbortController().signal

export function createStarter(deps: StarterDeps): Starter {
  const { clock, host } = deps
  const queues = new Map<string, StartQueue>()
  const tasks = new Set<Promise<void>>()
  const callbacks = new Set<() => void>()
  let cancelTimer = () => {}
  let isOpen = true
  const templateOf = ({ pool }: StartQueue) => host.template(pool)

  function pump(): void {
    for (const queue of queues.values())
      if (retryOnNewTemplate(queue, templateOf(queue), clock.now()))
        deps.startProblems.note(queue.pool, 'start', null)
    while (isOpen && tasks.size < startsAtATimeMax) {
      const queue = nextReady()
      const start = queue?.waiting.shift()
      if (queue === undefined || start === undefined) break
      queue.activeCount += 1
      const task = startOne(queue, start).finally(() => {
        queue.activeCount -= 1
        tasks.delete(task)
        if (isIdle(queue)) queues.delete(queue.pool)
        pump()
      })
      tasks.add(task)
      if (queue.waiting.length === queue.refillAt) notify()
    }
    wakeAtPauseEnd()
  }

  /** The queues take turns: one that is served goes to the end. */
  function nextReady(): StartQueue | undefined {
    for (const queue of queues.values()) {
      if (!isReady(queue, clock.now())) continue
      queues.delete(queue.pool)
      queues.set(queue.pool, queue)
      return queue
    }
    return undefined
  }

  function wakeAtPauseEnd(): void {
    cancelTimer()
    const now = clock.now()
    const waits = [...queues.values()]
      .filter((queue) => queue.failureCount > 0 && queue.waiting.length > 0)
      .map(({ pausedUntil }) => pausedUntil - now)
      .filter((ms) => ms > 0)
    if (waits.length > 0) cancelTimer = clock.after(Math.min(...waits), pump)
  }

  function notify(): void {
    for (const callback of callbacks) callback()
  }

  async function startOne(queue: StartQueue, start: PendingStart): Promise<void> {
    const template = templateOf(queue)
    try {
      await deps.runnerMutex.run(start.runner.name, () => startLocked(queue, start, template))
    } catch (error) {
      // The outcome is unknown, or the end could not be stored: the retry reads the row.
      backOff(queue, { template, problem: null }, clock.now(), deps.entropy.fraction())
      deps.log.warn(
        { err: error, runner: start.runner.name, pool: queue.pool },
        'a start failed and is repeated',
      )
      queue.waiting.unshift({ ...start, mayExist: true })
    }
  }

  async function startLocked(queue: StartQueue, start: PendingStart, template: string | null): Promise<void> {
    if (!(await isStillWanted(queue, start, deps))) return
    const { runner, secret } = start
    const order = { name: runner.name, pool: runner.pool, secret, ...deps.quarantine.placing() }
    const outcome = await host.start(order, neverAborted)
    if (outcome.kind === 'started') {
      await bindPod(runner, deps)
      wentWell(queue)
      return
    }
    const { problem } = outcome
    backOff(queue, { template, problem }, clock.now(), deps.entropy.fraction())
    deps.startProblems.note(queue.pool, 'start', problem)
    deps.log.warn({ runner: runner.name, pool: queue.pool, problem }, 'a runner cannot be started')
    await giveUp(start, problem, deps)
  }

  function wentWell(queue: StartQueue): void {
    const wasTroubled = queue.failureCount > 0
    reset(queue)
    deps.startProblems.note(queue.pool, 'start', null)
    if (wasTroubled) notify()
  }

  return {
    add(starts) {
      isOpen = true
      for (const [pool, ofPool] of Map.groupBy(starts, ({ runner }) => runner.pool)) {
        const queue = queues.get(pool) ?? createStartQueue(pool)
        queues.set(pool, queue)
        fill(queue, ofPool)
      }
      pump()
    },
    allowance: (pool) => allowanceOf(queues.get(pool), clock.now()),
    pausedUntil(pool) {
      const queue = queues.get(pool)
      return queue === undefined || queue.failureCount === 0 ? null : queue.pausedUntil
    },
    takeBack(name) {
      for (const queue of queues.values()) {
        const at = queue.waiting.findIndex(({ runner, mayExist }) => runner.name === name && !mayExist)
        if (at >= 0) return queue.waiting.splice(at, 1).length === 1
      }
      return false
    },
    onRoom(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    async shutDown() {
      isOpen = false
      await Promise.all(tasks)
      cancelTimer()
      queues.clear()
    },
  }
}

/** Whether the runner is to be started. After its deadline it is given up, where it is known that nothing of it exists. */
async function isStillWanted(queue: StartQueue, start: PendingStart, deps: StarterDeps): Promise<boolean> {
  const now = deps.clock.now()
  if (now >= start.deadline) {
    if (!start.mayExist && queue.problem !== null) await giveUp(start, queue.problem, deps)
    return false // otherwise its boot deadline in the ledger resolves it
  }
  if (!start.mayExist && now < start.freshUntil) return true
  const row = await deps.ledger.findRunner(start.runner.name)
  // A runner whose pod is known was started before: if that pod is gone the runner has ended, and another pod of its name
  // would be a second runner behind one record.
  return row?.state === 'booting' && (row.podUid ?? null) === null
}

async function giveUp({ runner }: PendingStart, problem: StartProblem, deps: StarterDeps): Promise<void> {
  const record = neverStarted(`${problem.kind}: ${problem.message}`, deps.clock.now())
  await sealDeath({ runner, record, reason: problem.kind }, cause, deps)
}
