import { type BackOff, backOffMs } from '../domain/back-off/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Wake } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import { createSignal } from './signal.ts'

/** The result of one pass, as controller-runtime's `Result`. A pass that fails throws; no pass sleeps. */
export type Outcome =
  /** Nothing more to do until a wake-up, or until the resync is due. */
  | { readonly kind: 'done' }
  /** More may be waiting: the next pass comes after so long. */
  | { readonly kind: 'requeue-after'; readonly afterMs: number }

export const done: Outcome = { kind: 'done' }
export const requeueAfter = (afterMs: number): Outcome => ({ kind: 'requeue-after', afterMs })

/** A controller: its passes, and when they are due. */
export interface Loop {
  readonly name: string
  /** A pass is made at least this often: wake-ups may be lost, resyncs are not. */
  readonly resyncMs: number
  /** From the beginning of one pass to the next at least so long, however often the loop is woken; 0 unless given. */
  readonly gapMs?: number
  /** After a pass the loop rests for so many times the duration of the pass: 2 is a third of the time. */
  readonly restFactor?: number
  /** Whether a wake-up of the ledger concerns this loop. */
  readonly wokenBy: (wake: Wake) => boolean
  /** Other sources of wake-ups; returns the function that unsubscribes. */
  readonly subscribe?: (notify: () => void) => () => void
  readonly pass: (signal: AbortSignal) => Promise<Outcome>
  /** Waits for work that passes left under way; called when the loop ends, after which it may be run again. */
  readonly ended?: () => Promise<void>
}

export interface LoopDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly onWake: (callback: (wake: Wake) => void) => () => void
  /** Called with every pass that failed, so that no failure is silent. */
  readonly onFailure: (loop: string, error: unknown) => void
}

const failureBackOff: BackOff = { baseMs: 1_000, capMs: 15_000 }

/** Runs a loop until the signal is aborted: pass, wait for a wake-up or the resync, pass again. */
export async function runLoop(loop: Loop, deps: LoopDeps, signal: AbortSignal): Promise<void> {
  const wakeUps = createSignal(deps.clock)
  const unsubscribeWakes = deps.onWake((wake) => {
    if (wake.kind === 'everything' || loop.wokenBy(wake)) wakeUps.notify()
  })
  const unsubscribe = loop.subscribe?.(wakeUps.notify)
  try {
    let failures = 0
    while (!signal.aborted) {
      try {
        const startedAt = deps.clock.now()
        const outcome = await loop.pass(signal)
        failures = 0
        const restMs = (deps.clock.now() - startedAt) * (1 + (loop.restFactor ?? 0))
        const nextAt = startedAt + Math.max(loop.gapMs ?? 0, restMs)
        await wakeUps.wait(outcome.kind === 'requeue-after' ? outcome.afterMs : loop.resyncMs, signal)
        await pause(nextAt - deps.clock.now(), deps, signal)
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        const waitMs = backOffMs(failureBackOff, failures, deps.entropy.fraction())
        report(loop, deps, error, failures, waitMs)
        await pause(waitMs, deps, signal)
      }
    }
  } finally {
    unsubscribe?.()
    unsubscribeWakes()
    await loop.ended?.()
  }
}

/** No wake-up shortens a pause; one that comes during it is kept for the wait that follows. */
async function pause(forMs: number, { clock }: LoopDeps, signal: AbortSignal): Promise<void> {
  if (forMs > 0) await createSignal(clock).wait(forMs, signal)
}

function report(loop: Loop, deps: LoopDeps, error: unknown, failures: number, waitMs: number): void {
  deps.onFailure(loop.name, error)
  const retryable = error instanceof HoldfastError && error.entry.retryable
  const fields = { loop: loop.name, failures, retryInMs: Math.round(waitMs), err: error }
  if (retryable) deps.log.warn(fields, 'a pass failed and is repeated')
  else deps.log.error(fields, 'a pass failed unexpectedly and is repeated')
}
