import type { Clock } from '../../../ports/clock.ts'

/** Resolves with the result, or rejects where it does not come in time; a late result is dropped. */
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
