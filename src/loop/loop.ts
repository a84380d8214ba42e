import { HoldfastError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Wake } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'

/** What one pass came to. A pass that fails throws; nobody sleeps for himself. */
export type Outcome =
  /** Nothing more to do until something wakes the loop or its sweep is due. */
  | { readonly kind: 'done' }
  /** More may be waiting: come back after so long. */
  | { readonly kind: 'again'; readonly inMs: number }

export const done: Outcome = { kind: 'done' }
export const again = (inMs: number): Outcome => ({ kind: 'again', inMs })

export interface Loop {
  readonly name: string
  /** A pass is made at least this often: wake-ups may be lost, sweeps are not. */
  readonly sweepMs: number
  /** From the beginning of one pass to the next at least so long, however often it is woken; none unless said. */
  readonly gapMs?: number
  /** After a pass it rests for so many times what the pass took, however often it is woken: 2 is a third of the time. */
  readonly restFactor?: number
  /** Which wake-ups concern it. */
  readonly wokenBy: (wake: Wake) => boolean
  /** Other bells that concern it; gives the function that stops listening. */
  readonly listen?: (ring: () => void) => () => void
  readonly pass: (signal: AbortSignal) => Promise<Outcome>
  /** Waits for what passes left under way; called when the loop ends, after which it may be run again. */
  readonly ended?: () => Promise<void>
}

export interface LoopDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly onWake: (callback: (wake: Wake) => void) => () => void
  /** Told about every pass that failed, so that no failure is silent. */
  readonly onFailure: (loop: string, error: unknown) => void
}

const failureDelayMs = 500
const failureDelayMaxMs = 15_000

/** Runs a loop until the signal is aborted: pass, wait for a wake-up or the sweep, pass again. */
export async function runLoop(loop: Loop, deps: LoopDeps, signal: AbortSignal): Promise<void> {
  const doorbell = createDoorbell(deps.clock)
  const unsubscribe = deps.onWake((wake) => {
    if (wake.kind === 'everything' || loop.wokenBy(wake)) doorbell.ring()
  })
  const unlisten = loop.listen?.(doorbell.ring)
  try {
    let failures = 0
    while (!signal.aborted) {
      try {
        const startedAt = deps.clock.now()
        const outcome = await loop.pass(signal)
        failures = 0
        const restMs = (deps.clock.now() - startedAt) * (1 + (loop.restFactor ?? 0))
        const nextAt = startedAt + Math.max(loop.gapMs ?? 0, restMs)
        await doorbell.wait(outcome.kind === 'again' ? outcome.inMs : loop.sweepMs, signal)
        await waitDeaf(nextAt - deps.clock.now(), deps, signal)
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        const waitMs = backOffMs(failures, deps.entropy)
        report(loop, deps, error, failures, waitMs)
        await waitDeaf(waitMs, deps, signal)
      }
    }
  } finally {
    unlisten?.()
    unsubscribe()
    await loop.ended?.()
  }
}

/** Whoever rings meanwhile is heard afterwards. */
async function waitDeaf(forMs: number, { clock }: LoopDeps, signal: AbortSignal): Promise<void> {
  if (forMs > 0) await createDoorbell(clock).wait(forMs, signal)
}

function report(loop: Loop, deps: LoopDeps, error: unknown, failures: number, waitMs: number): void {
  deps.onFailure(loop.name, error)
  const retryable = error instanceof HoldfastError && error.entry.retryable
  const fields = { loop: loop.name, failures, retryInMs: Math.round(waitMs), err: error }
  if (retryable) deps.log.warn(fields, 'a pass failed and is repeated')
  else deps.log.error(fields, 'a pass failed unexpectedly and is repeated')
}

function backOffMs(failures: number, entropy: Entropy): number {
  const full = Math.min(failureDelayMaxMs, failureDelayMs * 2 ** Math.min(failures, 10))
  return full * (0.5 + entropy.fraction() / 2)
}

export interface Doorbell {
  readonly ring: () => void
  /** Resolves when it rang, after `atMostMs`, or when the signal is aborted. */
  wait(atMostMs: number, signal: AbortSignal): Promise<void>
}

/** A bell that is heard even if it rang while nobody was waiting. */
export function createDoorbell(clock: Clock): Doorbell {
  let rang = false
  let answer: (() => void) | null = null
  return {
    ring() {
      rang = true
      answer?.()
    },
    wait(atMostMs, signal) {
      if (signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const finish = () => {
          answer = null
          rang = false
          cancel()
          signal.removeEventListener('abort', finish)
          resolve()
        }
        const cancel = clock.after(atMostMs, finish)
        signal.addEventListener('abort', finish)
        if (rang) finish()
        else answer = finish
      })
    },
  }
}
