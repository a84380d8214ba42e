import type { Clock, Instant } from '../../../src/ports/clock.ts'
import type { Log } from '../../../src/ports/log.ts'
import type { Change, ForgeCore } from '../core/index.ts'
import type { Journal } from './journal.ts'

/** A deadline that could not be kept on the disk is tried again after this. */
const retryMs = 1_000

export interface Engine {
  readonly core: ForgeCore
  readonly clock: Clock
  /** One step of the forge at the present time; what it changed is kept before this returns. */
  run<T>(step: (core: ForgeCore, now: Instant) => T): T
  /**
   * Resolves when a change is news for a runner that waits, at the latest after `withinMs` or the signal.
   * A job notifies only one of the runners that it matches: the longest waiting.
   */
  news(isFor: (change: Change) => boolean, withinMs: number, signal: AbortSignal): Promise<void>
  /** Wakes all waiting runners: one that was notified of a job does not come for it. */
  stir(): void
  /** Calls back after every step that changed something. */
  onChange(callback: (changes: readonly Change[]) => void): void
  close(): void
}

/** Lets the core live in real time: a timer for its deadlines, a journal for its changes. */
export function createEngine(core: ForgeCore, journal: Journal, clock: Clock, log: Log): Engine {
  const waiting = new Map<() => void, (change: Change) => boolean>()
  const listeners: ((changes: readonly Change[]) => void)[] = []
  let unsaved: Change[] = []
  let cancelTimer = (): void => {}
  let closed = false

  const schedule = (): void => {
    cancelTimer()
    const at = core.nextDeadline()
    if (at === null || closed) return
    cancelTimer = clock.after(Math.max(at - clock.now(), 0), () => {
      try {
        engine.run(() => {})
      } catch (error) {
        log.error({ err: error }, 'the simulated forge could not keep what happened')
        cancelTimer = clock.after(retryMs, schedule)
      }
    })
  }

  const save = (): readonly Change[] => {
    unsaved.push(...core.takeChanges())
    if (unsaved.length === 0) return []
    journal.append(unsaved, core.counters())
    if (journal.isLong) journal.fold(core.snapshot())
    const saved = unsaved
    unsaved = []
    return saved
  }

  const stir = (): void => {
    for (const wake of [...waiting.keys()]) wake()
  }
  const notify = (change: Change): void => {
    for (const [wake, isFor] of waiting) {
      if (!isFor(change)) continue
      wake()
      if (change.table === 'jobs') return
    }
  }

  const engine: Engine = {
    core,
    clock,
    run(step) {
      journal.requireRoom()
      const now = clock.now()
      core.advance(now)
      const result = step(core, now)
      const changes = save()
      schedule()
      if (changes.length > 0) for (const listener of listeners) listener(changes)
      for (const change of changes) if (mayConcern(change)) notify(change)
      return result
    },
    news(isFor, withinMs, signal) {
      return new Promise((resolve) => {
        if (signal.aborted || closed) return resolve()
        const done = (): void => {
          waiting.delete(done)
          cancel()
          signal.removeEventListener('abort', done)
          resolve()
        }
        const cancel = clock.after(withinMs, done)
        waiting.set(done, isFor)
        signal.addEventListener('abort', done, { once: true })
      })
    },
    stir,
    onChange: (callback) => void listeners.push(callback),
    close() {
      closed = true
      cancelTimer()
      save()
      stir()
    },
  }
  return engine
}

/** A runner that waits is not woken by another's question, or two would keep each other awake. */
function mayConcern({ table, row }: Change): boolean {
  if (table === 'jobs') return row?.status === 'queued'
  if (table === 'runners') return row?.state === 'gone'
  return table === 'groups' || table === 'repositories' || table === 'enterprises'
}
