import type { Context } from '../context.ts'

/** Waits; false when the program is to end instead. */
export async function pause(delayMs: number, { clock, signal }: Context): Promise<boolean> {
  try {
    await clock.sleep(delayMs, signal)
    return true
  } catch {
    return false
  }
}
