import { HoldfastError } from '../domain/errors/index.ts'

/** Mutual exclusion by name: of those who want to work on one runner, one does at a time, first come, first served. */
export interface Turns {
  /** Does the work when it is this caller's turn. Whoever has the turn must not ask for it again. */
  take<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** Every caller waits for its own turn, so that there are never more than callers; more is a defect (I10). */
export const turnsMax = 1_000

export function createTurns(): Turns {
  /** Resolves when the last who asked for this name is done. */
  const lasts = new Map<string, Promise<void>>()
  let taken = 0

  return {
    async take(name, work) {
      if (taken >= turnsMax) throw new HoldfastError('E_BUG', { what: `${taken} wait for a turn` })
      taken += 1
      const before = lasts.get(name)
      const { promise: mine, resolve: end } = Promise.withResolvers<void>()
      lasts.set(name, mine)
      try {
        await before
        return await work()
      } finally {
        taken -= 1
        if (lasts.get(name) === mine) lasts.delete(name)
        end()
      }
    },
  }
}
