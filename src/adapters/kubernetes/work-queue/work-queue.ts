import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Log } from '../../../ports/log.ts'
import type { Worked, WorkQueue } from '../../../ports/work-queue.ts'
import { createRate } from './rate.ts'

export interface WorkQueueOptions {
  readonly name: string
  /** The signal is that of the run; work that hears it may end early. */
  readonly work: (key: string, signal: AbortSignal) => Promise<Worked>
  readonly workersMax?: number
  /** Pieces of work begun per second, over all keys, after a burst. */
  readonly perSecondMax?: number
  readonly burstMax?: number
  readonly failurePauseMs?: number
  readonly failurePauseMaxMs?: number
}

export interface WorkQueueDeps {
  readonly clock: Clock
  readonly entropy: Pick<Entropy, 'fraction'>
  readonly log: Log
}

const defaults = {
  workersMax: 16,
  perSecondMax: 500,
  burstMax: 1_000,
  failurePauseMs: 200,
  failurePauseMaxMs: 60_000,
}

/**
 * A key is in at most one of: ready (waits for a worker), delayed (waits for its time), working. One that is added
 * while it is worked on is `dirty` as well, and becomes ready again afterwards. Only `settle` ends a piece of work.
 */
export function createWorkQueue(
  options: WorkQueueOptions,
  { clock, entropy, log }: WorkQueueDeps,
): WorkQueue {
  const { name, work } = options
  const bounds = { ...defaults, ...definedOf(options) }
  const rate = createRate(clock, bounds.perSecondMax, bounds.burstMax)
  const ready = new Set<string>()
  const delayed = new Map<string, { readonly dueAt: number; readonly isPenalty: boolean; cancel(): void }>()
  const working = new Map<string, Promise<void>>()
  const dirty = new Set<string>()
  const failures = new Map<string, number>()
  let running: AbortSignal | null = null
  let cancelPump = () => {}
  let isPumping = false

  function add(key: string): void {
    // New tidings do not shorten the pause after a failure: it is there because the last ones did not help.
    if (delayed.get(key)?.isPenalty) return
    undelay(key)
    if (working.has(key)) dirty.add(key)
    else ready.add(key)
    pumpSoon()
  }

  function delay(key: string, delayMs: number, isPenalty: boolean): void {
    const dueAt = clock.now() + Math.max(0, delayMs)
    const planned = delayed.get(key)
    if (ready.has(key) || dirty.has(key)) return
    if (planned !== undefined && (planned.isPenalty || planned.dueAt <= dueAt)) return
    planned?.cancel()
    const cancel = clock.after(dueAt - clock.now(), () => {
      delayed.delete(key)
      add(key)
    })
    delayed.set(key, { dueAt, isPenalty, cancel })
  }

  function undelay(key: string): void {
    delayed.get(key)?.cancel()
    delayed.delete(key)
  }

  /** In a turn of its own: whoever adds is not kept, and what is added in one go is one piece of work. */
  function pumpSoon(): void {
    if (isPumping) return
    isPumping = true
    queueMicrotask(pump)
  }

  function pump(): void {
    isPumping = false
    cancelPump()
    cancelPump = () => {}
    while (running !== null && !running.aborted && working.size < bounds.workersMax) {
      const [key] = ready
      if (key === undefined) return
      const waitMs = rate.take()
      if (waitMs > 0) {
        cancelPump = clock.after(waitMs, pump)
        return
      }
      ready.delete(key)
      working.set(key, attempt(key, running))
    }
  }

  async function attempt(key: string, signal: AbortSignal): Promise<void> {
    let worked: Worked | null = null
    try {
      worked = await work(key, signal)
    } catch (error) {
      if (!signal.aborted) report(key, error)
    }
    settle(key, worked)
  }

  function settle(key: string, worked: Worked | null): void {
    working.delete(key)
    const wasAdded = dirty.delete(key)
    if (worked === null) {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      undelay(key)
      delay(key, pauseMs(count), true)
    } else {
      failures.delete(key)
      if (wasAdded) add(key)
      else if (worked.kind === 'again') delay(key, worked.inMs, false)
    }
    pumpSoon()
  }

  function pauseMs(count: number): number {
    const full = Math.min(bounds.failurePauseMaxMs, bounds.failurePauseMs * 2 ** Math.min(count - 1, 20))
    return full * (0.5 + entropy.fraction() / 2)
  }

  function report(key: string, error: unknown): void {
    const fields = { queue: name, key, failures: (failures.get(key) ?? 0) + 1, err: error }
    const isExpected = error instanceof HoldfastError && error.entry.retryable
    if (isExpected) log.warn(fields, 'work failed and is repeated')
    else log.error(fields, 'work failed unexpectedly and is repeated')
  }

  return {
    add,
    addAfter: (key, delayMs) => (delayMs <= 0 ? add(key) : delay(key, delayMs, false)),
    state: () => ({
      waitingCount: ready.size + dirty.size,
      delayedCount: delayed.size,
      workingCount: working.size,
      failingCount: failures.size,
    }),
    async run(signal) {
      if (running !== null) throw new HoldfastError('E_BUG', { what: `the work queue ${name} runs twice` })
      running = signal
      pumpSoon()
      try {
        await aborted(signal)
        await Promise.allSettled(working.values())
      } finally {
        running = null
        cancelPump()
      }
    },
  }
}

function definedOf(options: WorkQueueOptions): Partial<typeof defaults> {
  return Object.fromEntries(
    Object.entries(options).filter(([key, value]) => key in defaults && value !== undefined),
  )
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
