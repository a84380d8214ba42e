import { setTimeout as sleep } from 'node:timers/promises'

const lookEveryMs = 150

/** Waits for something in the world outside; throws what was waited for when it does not come. */
export async function until(what: string, withinMs: number, is: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + withinMs
  while (performance.now() < deadline) {
    if (await is()) return
    await sleep(lookEveryMs)
  }
  throw new Error(`not within ${withinMs} ms: ${what}`)
}
