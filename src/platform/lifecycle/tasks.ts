import { type BackOff, backOffMs } from '../../domain/back-off/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { TaskKind, Tasks } from '../../ports/tasks.ts'

export interface TaskDeps {
  readonly log: Log
  readonly metrics: Pick<Metrics, 'count'>
  readonly clock: Clock
  readonly entropy: Pick<Entropy, 'fraction'>
}

export interface TrackedTasks extends Tasks {
  /** Vital tasks that ended; `/livez` fails while there is one. */
  dead(): readonly string[]
  /** Aborts all tasks and resolves when they have ended. */
  stop(): Promise<void>
}

const tasksMax = 1_000
const restartBackOff: BackOff = { baseMs: 500, capMs: 60_000 }
/** A loop that ran this long was healthy: its next pause is the first again. */
const healthyAfterMs = 60_000

type Work = (signal: AbortSignal) => Promise<void>

/** Tracks background work and answers for it. */
export function createTasks({ log, metrics, clock, entropy }: TaskDeps): TrackedTasks {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const dead = new Set<string>()
  const { signal } = stopping

  function run(name: string, work: Work, kind: TaskKind = 'once'): void {
    if (signal.aborted) {
      log.warn({ task: name }, 'not started, because Holdfast is stopping')
      return
    }
    if (running.size >= tasksMax) throw new HoldfastError('E_TASKS_FULL', { task: name, max: tasksMax })
    const task = supervise(name, work, kind).finally(() => running.delete(task))
    running.add(task)
  }

  async function supervise(name: string, work: Work, kind: TaskKind): Promise<void> {
    for (let failures = 1; ; failures++) {
      const startedAt = clock.now()
      const end = await endOf(work, signal)
      if (signal.aborted) return reportLate(name, end)
      if (kind === 'once' && end.kind === 'returned') return
      report(name, end)
      if (kind === 'vital') dead.add(name)
      if (kind !== 'loop') return
      if (clock.now() - startedAt >= healthyAfterMs) failures = 1
      if (!(await paused(backOffMs(restartBackOff, failures, entropy.fraction())))) return
    }
  }

  function report(name: string, end: End): void {
    const err = end.kind === 'threw' ? end.error : new HoldfastError('E_TASK_ENDED', { task: name })
    metrics.count('holdfast_task_failures_total', { task: name })
    log.error({ task: name, err }, 'a background task failed')
  }

  /** That a task ends by its signal is the rule; anything else is worth a line even now. */
  function reportLate(name: string, end: End): void {
    if (end.kind === 'returned' || end.error === signal.reason || isAbort(end.error)) return
    log.warn({ task: name, err: end.error }, 'a background task failed while it was stopped')
  }

  async function paused(delayMs: number): Promise<boolean> {
    try {
      await clock.sleep(delayMs, signal)
      return true
    } catch {
      return false
    }
  }

  async function stop(): Promise<void> {
    stopping.abort()
    await Promise.all(running)
  }

  return { run, stop, dead: () => [...dead] }
}

type End = { readonly kind: 'returned' } | { readonly kind: 'threw'; readonly error: unknown }

async function endOf(work: Work, signal: AbortSignal): Promise<End> {
  try {
    await work(signal)
    return { kind: 'returned' }
  } catch (error) {
    return { kind: 'threw', error }
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
