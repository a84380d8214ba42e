import { isError } from '../../domain/errors/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { partStarter, type Started, type StartPart, stopParts } from './parts.ts'
import { type StopEvent, type StopEvents, type StopSignal, stopSignals } from './stop-events.ts'

export interface RunDeps<T> {
  readonly log: Log
  readonly clock: Clock
  readonly stopEvents: StopEvents
  /** Ends the process at once; used for the second signal only. */
  readonly exit: (code: number) => void
  /** All of the shutdown together. */
  readonly stopBoundMs: number
  /** Called when every part has started, with what `startAll` returned. */
  readonly onServing?: (serving: T) => void
}

const exitSignal = 128
const exitUnclean = 1
/** Terminals and wrappers often send one request to stop to the group and to the process: both are one. */
const echoMs = 500

/**
 * Starts parts in the order in which `startAll` asks for them, serves until a signal, and stops them in reverse order.
 * Resolves to the exit code; throws E_START_FAILED after stopping what had started. A second signal ends the process at once.
 */
export async function runParts<T>(
  startAll: (start: StartPart) => Promise<T>,
  deps: RunDeps<T>,
): Promise<number> {
  const stopping = new AbortController()
  const asked = Promise.withResolvers<void>()
  const started: Started[] = []
  let hadFatal = false
  let first: { readonly signal: StopSignal; readonly at: Instant } | null = null
  const unsubscribe = deps.stopEvents.subscribe((event) => {
    hadFatal ||= event.kind === 'fatal'
    const isSecond = stopping.signal.aborted
    if (event.kind === 'signal') {
      const now = deps.clock.now()
      if (first?.signal === event.signal && Math.abs(now - first.at) < echoMs) return
      first ??= { signal: event.signal, at: now }
    }
    say(event, isSecond, deps.log)
    if (isSecond && event.kind === 'signal') {
      for (const part of started.toReversed()) part.kill()
      deps.exit(exitSignal + stopSignals[event.signal])
    }
    stopping.abort()
    asked.resolve()
  })
  let left: readonly string[] = []
  try {
    const serving = await startAll(partStarter(started, stopping.signal, deps))
    if (!stopping.signal.aborted) deps.onServing?.(serving)
    await asked.promise
  } catch (error) {
    // A start that the request to stop interrupted is no failure.
    if (!stopping.signal.aborted || isError(error, 'E_START_FAILED')) throw error
  } finally {
    stopping.abort()
    left = await stopParts(started, deps.stopBoundMs, deps)
    unsubscribe()
  }
  return hadFatal || left.length > 0 ? exitUnclean : 0
}

function say(event: StopEvent, isSecond: boolean, log: Log): void {
  if (event.kind === 'fatal') log.error({ err: event.error }, 'an error that nobody caught; stopping')
  else if (isSecond) log.warn({ signal: event.signal }, 'second signal: ending at once')
  else log.info({ signal: event.signal }, 'stopping; a second signal ends at once')
}
