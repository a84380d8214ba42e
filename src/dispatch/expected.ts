import type { Runner } from '../domain/runner/index.ts'
import type { Clock, Instant } from '../ports/clock.ts'
import { expectedForMs } from './settings.ts'

/**
 * Runners that waited here until their time was over, and that will ask again at once: the ledger need not be asked
 * what it said a moment ago. Who is fenced meanwhile is not expected any more.
 */
export interface Expected {
  /** As it was when it went; null: the ledger must be asked. */
  find(name: string): Runner | null
  /** It came back: how often its pool had rung when it last looked at the queue; null: it was not expected. */
  take(name: string): number | null
  note(runner: Runner, rings: number): void
  forget(runnerId: number): void
  forgetAll(): void
}

interface Gone {
  readonly runner: Runner
  readonly rings: number
  readonly at: Instant
}

export function createExpected(clock: Pick<Clock, 'now'>): Expected {
  const byName = new Map<string, Gone>()

  function fresh(name: string): Gone | null {
    const gone = byName.get(name)
    const ageMs = clock.now() - (gone?.at ?? 0)
    return gone !== undefined && ageMs >= 0 && ageMs < expectedForMs ? gone : null
  }

  /** The oldest stand first. */
  function dropOld(): void {
    for (const name of byName.keys()) {
      if (fresh(name) !== null) return
      byName.delete(name)
    }
  }

  return {
    find: (name) => fresh(name)?.runner ?? null,
    take(name) {
      const gone = fresh(name)
      byName.delete(name)
      return gone?.rings ?? null
    },
    note(runner, rings) {
      dropOld()
      byName.delete(runner.name)
      byName.set(runner.name, { runner, rings, at: clock.now() })
    },
    forget(runnerId) {
      for (const [name, { runner }] of byName) if (runner.id === runnerId) byName.delete(name)
    },
    forgetAll: () => byName.clear(),
  }
}
