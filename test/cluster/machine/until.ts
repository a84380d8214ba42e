import { setTimeout } from 'node:timers/promises'

const lookEveryMs = 50

/** Looks until there is something other than null, undefined or false; throws with these words when time is over. */
export async function until<T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen
    if (performance.now() >= deadline) throw new Error(`Not within ${withinMs / 1000} s: ${what}`)
    await setTimeout(lookEveryMs)
  }
}
