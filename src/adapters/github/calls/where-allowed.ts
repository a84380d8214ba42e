import type { MintRefused } from '../../../ports/forge.ts'
import { mapBounded } from '../../forge-http/index.ts'
import { ForgeRefusal } from '../refusal.ts'

export interface Refused<T> {
  readonly item: T
  readonly refusal: MintRefused
}

/**
 * Maps the items. One that the forge refuses until a person acts is reported and skipped, so that it does not hide the
 * others. Every other failure, or a refusal of all items, fails the whole.
 */
export async function whereAllowed<T, R>(
  items: readonly T[],
  mayPass: (refusal: MintRefused) => boolean,
  work: (item: T) => Promise<R>,
): Promise<{ readonly results: readonly R[]; readonly refused: readonly Refused<T>[] }> {
  const refused: Refused<T>[] = []
  let last: ForgeRefusal | null = null
  const results = await mapBounded(items, async (item) => {
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

/** Whether a refusal concerns one repository rather than the whole account. */
export const concernsRepository = ({ concerns }: MintRefused): boolean => concerns === 'repository'
