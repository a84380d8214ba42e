import type { Runner } from '../domain/runner/index.ts'
import type { Clock, Instant } from '../ports/clock.ts'
import { recentForMs } from './settings.ts'

/**
 * Runners whose poll ended recently because its time was over, and that poll again at once: their rows of then are used,
 * without a read of the ledger. A runner that is fenced is dropped.
 */
export interface RecentPollers {
  /** The runner as it was when its poll ended; null: the ledger must be asked. */
  find(name: string): Runner | null
  /** The runner is back: how many wake-ups its pool had had when it last looked at the queue; null: it is not recent. */
  take(name: string): number | null
  note(runner: Runner, wakesSeen: number): void
  forget(runnerId: number): void
  forgetAll(): void
}

interface RecentPoller {
  readonly runner: Runner
  readonly wakesSeen: number
  readonly at: Instant
}

export function createRecentPollers(clock: Pick<Clock, 'now'>): RecentPollers {
  const byName = new Map<string, RecentPoller>()

  function fresh(name: string): RecentPoller | null {
    const recent = byName.get(name)
    const ageMs = clock.now() - (recent?.at ?? 0)
    return recent !== undefined && ageMs >= 0 && ageMs < recentForMs ? recent : null
  }

  /** The oldest come first. */
  function dropOld(): void {
    for (const name of byName.keys()) {
      if (fresh(name) !== null) return
      byName.delete(name)
    }
  }

  return {
    find: (name) => fresh(name)?.runner ?? null,
    take(name) {
      const recent = fresh(name)
      byName.delete(name)
      return recent?.wakesSeen ?? null
    },
    note(runner, wakesSeen) {
      dropOld()
      byName.delete(runner.name)
      byName.set(runner.name, { runner, wakesSeen, at: clock.now() })
    },
    forget(runnerId) {
      for (const [name, { runner }] of byName) if (runner.id === runnerId) byName.delete(name)
    },
    forgetAll: () => byName.clear(),
  }
}
