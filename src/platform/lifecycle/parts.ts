import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { within } from './within.ts'

/** A named piece of the program that starts after those before it and stops before them. */
export interface Part<T> {
  readonly name: string
  readonly startBoundMs?: number
  readonly stopBoundMs?: number
  /** Resolves when it serves, with what later parts need of it. The signal is aborted when its start is no longer wanted. */
  start(signal: AbortSignal): Promise<T>
  /** Ends what was started; the signal is aborted when its time is over. */
  stop?(started: T, signal: AbortSignal): Promise<unknown>
  /** Called instead of `stop` where the program ends at once. */
  kill?(started: T): void
}

/** Starts one part, and returns what it gives. Throws E_START_FAILED, or the signal's reason where the program is stopping. */
export type StartPart = <T>(part: Part<T>) => Promise<T>

/** A part that has started, and how it ends. */
export interface Started {
  readonly name: string
  readonly stopBoundMs: number
  stop(signal: AbortSignal): Promise<unknown>
  kill(): void
}

interface Deps {
  readonly log: Log
  readonly clock: Clock
}

const startBoundMs = 60_000
const stopBoundMs = 10_000
/** Kept for each part that stops later, so that a slow one cannot take the chance of the others. */
const lastChanceMs = 500

/** Starts parts, adding each to `started`, until the signal aborts. */
export function partStarter(started: Started[], signal: AbortSignal, { log, clock }: Deps): StartPart {
  return async (part) => {
    signal.throwIfAborted()
    const { name } = part
    const limited = { part: name, act: 'start', boundMs: part.startBoundMs ?? startBoundMs } as const
    const startedAt = clock.now()
    try {
      const value = await within(limited, clock, (inner) => part.start(inner), signal)
      started.push({
        name,
        stopBoundMs: part.stopBoundMs ?? stopBoundMs,
        stop: async (own) => part.stop?.(value, own),
        kill: () => part.kill?.(value),
      })
      log.debug({ part: name, tookMs: clock.now() - startedAt }, 'started')
      return value
    } catch (error) {
      if (!signal.aborted) throw new HoldfastError('E_START_FAILED', { part: name }, error)
      log.info({ part: name, err: error }, 'its start was interrupted')
      throw error
    }
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
  for (const [index, part] of [...started.entries()].toReversed()) {
    const restMs = deadline - clock.now() - lastChanceMs * index
    const ownMs = Math.max(lastChanceMs, Math.min(part.stopBoundMs, restMs))
    try {
      await within({ part: part.name, act: 'stop', boundMs: ownMs }, clock, (signal) => part.stop(signal))
      log.debug({ part: part.name }, 'stopped')
    } catch (err) {
      left.push(part.name)
      log.error({ part: part.name, err }, 'did not stop cleanly')
    }
  }
  return left
}
