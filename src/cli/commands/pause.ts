import type { Context } from '../context.ts'

/** Sleeps; returns false when the program is asked to end meanwhile. */
export async function pause(delayMs: number, { clock, signal }: Context): Promise<boolean> {
  try {
    await clock.sleep(delayMs, signal)
    return true
  } catch {
    return false
  }
}
