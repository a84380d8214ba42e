import type { Clock } from '../../../ports/clock.ts'

/** What something gives, or a failure where it does not come in time; what comes later is nobody's any more. */
export async function inTime<T>(
  work: Promise<T>,
  atMostMs: number,
  clock: Pick<Clock, 'after'>,
  what: string,
): Promise<T> {
  const late = Promise.withResolvers<never>()
  const cancel = clock.after(atMostMs, () => late.reject(new Error(`${what} took more than ${atMostMs} ms`)))
  try {
    return await Promise.race([work, late.promise])
  } finally {
    cancel()
    work.catch(() => undefined)
  }
}
