import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { again, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Wake } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import { createDueNames } from './due-names.ts'

export interface KeyedWork {
  readonly name: string
  /** Changes may be missed: so often everything is compared. */
  readonly compareEveryMs: number
  /** A wake-up of these makes the next pass compare everything. */
  readonly comparedOn?: (wake: Wake) => boolean
  /** Compares everything; gives the names that need work. Throws where something cannot be read. */
  readonly compare: (signal: AbortSignal) => Promise<readonly string[]>
  readonly work: (name: string, signal: AbortSignal) => Promise<WorkedOn>
}

/**
 * After how many milliseconds it wants to look again; null: when something changes; `over`: no change of this runner
 * matters here any more, and only a comparison brings it back.
 */
export type WorkedOn = number | null | 'over'

export interface KeyedDeps {
  readonly clock: Clock
  readonly host: Pick<RunnerHost, 'onChange'>
  readonly metrics: Metrics
  readonly log: Log
}

/** Runners that are worked on at a time; each costs a few calls to the ledger and to the host. */
const concurrency = 32
/** A burst of changes is one pass, not one for each. */
const gapMs = 20
/** Of one pass, so that a comparison is never far off. */
const namesPerPassMax = 500
/** Runners that are over of which a last echo may come; the oldest are forgotten. */
const overMax = 5_000
const failureDelayMs = 500
const failureDelayMaxMs = 60_000

/**
 * A loop that works on single runners when something about them changed, and on all in a slow comparison. One runner
 * is worked on by one worker at a time. One whose work fails is tried again by itself and holds up nobody else.
 */
export function keyedLoop(work: KeyedWork, deps: KeyedDeps): Loop {
  const due = createDueNames()
  const failures = new Map<string, number>()
  const over = new Set<string>()
  let compareAt = Number.NEGATIVE_INFINITY
  let passedAt = Number.NEGATIVE_INFINITY

  function setAside(name: string): void {
    over.add(name)
    due.delete(name)
    if (over.size > overMax) over.delete(over.values().next().value as string)
  }

  async function compare(now: Instant, signal: AbortSignal): Promise<void> {
    const names = await work.compare(signal)
    // One whose work failed keeps its pause.
    for (const name of names) {
      over.delete(name)
      if (!failures.has(name)) due.add(name, now)
    }
    compareAt = now + work.compareEveryMs
  }

  async function workOn(name: string, signal: AbortSignal): Promise<void> {
    try {
      const worked = await work.work(name, signal)
      failures.delete(name)
      if (worked === 'over') setAside(name)
      else if (worked !== null) due.add(name, deps.clock.now() + worked)
    } catch (error) {
      if (signal.aborted) throw error
      const times = (failures.get(name) ?? 0) + 1
      failures.set(name, times)
      const retryInMs = Math.min(failureDelayMaxMs, failureDelayMs * 2 ** Math.min(times, 10))
      due.move(name, deps.clock.now() + retryInMs)
      report(work.name, name, error, retryInMs, deps)
    }
  }

  async function pass(signal: AbortSignal): Promise<Outcome> {
    const now = deps.clock.now()
    if (now < passedAt) {
      // The clock was set back: nothing may wait for a time that is far off now.
      compareAt = now
      due.moveAll(now)
    }
    passedAt = now
    // A comparison that fails fails the pass, but not before what is known to have changed is worked on.
    const compared =
      now < compareAt ? undefined : await compare(now, signal).catch((error: unknown) => ({ error }))
    // Taken out: a change meanwhile is seen, and worked on in the next pass.
    const taken = due.take(now, namesPerPassMax)
    await eachBounded(taken, concurrency, (name) => workOn(name, signal), signal)
    if (compared !== undefined) throw compared.error
    const next = Math.min(due.nextAt() ?? compareAt, compareAt)
    return again(Math.max(0, next - deps.clock.now()))
  }

  return {
    name: work.name,
    sweepMs: work.compareEveryMs,
    gapMs,
    wokenBy: (wake) => {
      const isAsked = work.comparedOn?.(wake) ?? false
      if (isAsked) compareAt = Number.NEGATIVE_INFINITY
      return isAsked
    },
    listen(ring) {
      compareAt = Number.NEGATIVE_INFINITY // nobody knows what changed before
      return deps.host.onChange((name) => {
        if (over.has(name)) return
        // One whose work failed keeps its pause, so that a flood of changes cannot make a storm of failures.
        if (!failures.has(name)) due.add(name, deps.clock.now())
        ring()
      })
    },
    pass,
  }
}

/** Does something for each, at most so many at a time; nothing more is begun once the signal is aborted. */
export async function eachBounded<T>(
  items: readonly T[],
  atMost: number,
  each: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) {
      if (signal.aborted) return
      await each(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atMost, items.length) }, worker))
}

function report(loop: string, runner: string, error: unknown, retryInMs: number, deps: KeyedDeps): void {
  deps.metrics.count('holdfast_task_failures_total', { task: loop })
  const fields = { loop, runner, retryInMs, err: error }
  const isRetryable = error instanceof HoldfastError && error.entry.retryable
  if (isRetryable) deps.log.warn(fields, 'the work on a runner failed and is repeated')
  else deps.log.error(fields, 'the work on a runner failed unexpectedly and is repeated')
}
