import type { MintRefused } from '../../../ports/forge.ts'
import { ForgeRefusal } from '../refusal.ts'
import { inTurns } from './in-turns.ts'

export interface Refused<T> {
  readonly item: T
  readonly refusal: MintRefused
}

/**
 * Works on each item. One that the forge will not show us until a person acts is told and passed over: it is outside
 * of what we may see, and must not hide the others. Every other failure, or a refusal of all of them, fails the whole.
 */
export async function whereAllowed<T, R>(
  items: readonly T[],
  mayPass: (refusal: MintRefused) => boolean,
  work: (item: T) => Promise<R>,
): Promise<{ readonly results: readonly R[]; readonly refused: readonly Refused<T>[] }> {
  const refused: Refused<T>[] = []
  let last: ForgeRefusal | null = null
  const results = await inTurns(items, async (item) => {
    try {
      return [await work(item)]
    } catch (error) {
      const isPassed = error instanceof ForgeRefusal && error.refusal.incident !== null
      if (!isPassed || !mayPass(error.refusal)) throw error
      refused.push({ item, refusal: error.refusal })
      last = error
      return []
    }
  })
  if (last !== null && refused.length === items.length) throw last
  return { results: results.flat(), refused }
}

/** Of repositories: a refusal that concerns the whole account is no matter of one of them. */
export const concernsRepository = ({ concerns }: MintRefused): boolean => concerns === 'repository'
