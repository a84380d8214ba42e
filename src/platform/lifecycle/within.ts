import { HoldfastError } from '../../domain/errors/index.ts'
import type { Clock } from '../../ports/clock.ts'

/** A step with a time limit; its words appear in E_PART_OVERDUE. */
export interface Limited {
  readonly part: string
  readonly act: 'start' | 'stop'
  readonly boundMs: number
}

/** How long work may still take after its result is no longer wanted. */
const interruptedBoundMs = 5_000

/**
 * Runs the work with a signal that is aborted at the bound, and then waits for it no longer, so that work
 * which ignores its signal holds up nobody. `until` is aborted when the result is no longer wanted.
 */
export async function within<T>(
  { part, act, boundMs }: Limited,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
  until = new AbortController().signal,
): Promise<T> {
  const overdue = new HoldfastError('E_PART_OVERDUE', { part, act, boundMs })
  const bound = new AbortController()
  const { promise: gaveUp, reject } = Promise.withResolvers<never>()
  const giveUp = (): void => {
    bound.abort(overdue)
    reject(overdue)
  }
  const timers = [clock.after(boundMs, giveUp)]
  const onInterrupt = (): void => void timers.push(clock.after(interruptedBoundMs, giveUp))
  until.addEventListener('abort', onInterrupt, { once: true })
  try {
    return await Promise.race([work(AbortSignal.any([bound.signal, until])), gaveUp])
  } finally {
    until.removeEventListener('abort', onInterrupt)
    for (const cancel of timers) cancel()
  }
}
