import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { within } from './within.ts'

/** Ends a part; the signal is aborted when its time is over. */
export type Stop = (signal: AbortSignal) => Promise<void>

/** A named piece of the program that starts after those before it and stops before them. */
export interface Part {
  readonly name: string
  readonly startBoundMs?: number
  readonly stopBoundMs?: number
  /** Resolves when it serves, with what stops it. The signal is aborted when its start is no longer wanted. */
  start(signal: AbortSignal): Promise<Stop | undefined>
}

export interface Started {
  readonly part: Part
  readonly stop: Stop
}

interface Deps {
  readonly log: Log
  readonly clock: Clock
}

const START_BOUND_MS = 60_000
const STOP_BOUND_MS = 10_000
/** Kept for each part that stops later, so that a slow one cannot take the chance of the others. */
const LAST_CHANCE_MS = 500

/** Starts parts in order, adding each to `started`. Throws E_START_FAILED at the first that does not start. */
export async function startParts(
  parts: readonly Part[],
  started: Started[],
  signal: AbortSignal,
  { log, clock }: Deps,
): Promise<void> {
  for (const part of parts) {
    if (signal.aborted) return
    const limited = { part: part.name, act: 'start', boundMs: part.startBoundMs ?? START_BOUND_MS } as const
    const startedAt = clock.now()
    try {
      const stop = await within(limited, clock, (inner) => part.start(inner), signal)
      started.push({ part, stop: stop ?? (async () => {}) })
    } catch (error) {
      if (signal.aborted) return log.info({ part: part.name, err: error }, 'its start was interrupted')
      throw new HoldfastError('E_START_FAILED', { part: part.name }, error)
    }
    log.debug({ part: part.name, tookMs: clock.now() - startedAt }, 'started')
  }
}

/** Stops parts in reverse order within the bound. Says which did not stop; those are left behind. */
export async function stopParts(
  started: readonly Started[],
  boundMs: number,
  { log, clock }: Deps,
): Promise<readonly string[]> {
  const left: string[] = []
  const deadline = clock.now() + boundMs
  for (const [index, { part, stop }] of [...started.entries()].toReversed()) {
    const restMs = deadline - clock.now() - LAST_CHANCE_MS * index
    const ownMs = Math.max(LAST_CHANCE_MS, Math.min(part.stopBoundMs ?? STOP_BOUND_MS, restMs))
    try {
      await within({ part: part.name, act: 'stop', boundMs: ownMs }, clock, stop)
      log.debug({ part: part.name }, 'stopped')
    } catch (err) {
      left.push(part.name)
      log.error({ part: part.name, err }, 'did not stop cleanly')
    }
  }
  return left
}
