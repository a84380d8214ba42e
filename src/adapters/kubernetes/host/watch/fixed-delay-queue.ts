import type { Clock, Instant } from '../../../../ports/clock.ts'

/** Names that fall due after one same delay; one timer for all of them. */
export interface FixedDelayQueue {
  /** A name that stands in it already keeps its place. */
  add(name: string, at: Instant): void
  remove(name: string): void
  stop(): void
}

export function createFixedDelayQueue(
  clock: Pick<Clock, 'now' | 'after'>,
  onDue: (name: string) => void,
): FixedDelayQueue {
  const due = new Map<string, Instant>()
  let cancel: (() => void) | null = null

  function arm(): void {
    const [first] = due.values()
    if (cancel !== null || first === undefined) return
    cancel = clock.after(Math.max(1, first - clock.now()), fire)
  }
  function fire(): void {
    cancel = null
    const now = clock.now()
    for (const [name, at] of due) {
      if (at > now) break
      due.delete(name)
      onDue(name)
    }
    arm()
  }
  return {
    add(name, at) {
      if (due.has(name)) return
      due.set(name, at)
      arm()
    },
    remove: (name) => void due.delete(name),
    stop() {
      cancel?.()
      cancel = null
      due.clear()
    },
  }
}
