import { HoldfastError } from '../../../domain/errors/index.ts'
import { batched } from './batch.ts'

export interface Together<Item, Result> {
  /** Two items that must not be in one batch. */
  readonly conflict: (a: Item, b: Item) => boolean
  /** One transaction for all of them; a result for each, in their order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
}

type Outcome<Result> = { readonly result: Result } | { readonly refused: unknown }

/** No more locks are held together. */
const batchMax = 32

/**
 * What comes while others are worked on goes together in the next transaction: what one costs is mostly round trips and
 * its commit. One that cannot be carried out takes no other with it.
 */
export function together<Item, Result>(how: Together<Item, Result>): (item: Item) => Promise<Result> {
  const doOneOfMany = batched<Item, Outcome<Result>>({
    ...{ max: batchMax, conflict: how.conflict },
    run: (_, items) => runSafely(items),
  })
  return async (item) => {
    const outcome = await doOneOfMany('', item)
    if ('refused' in outcome) throw outcome.refused
    return outcome.result
  }

  async function runSafely(items: readonly Item[]): Promise<Outcome<Result>[]> {
    try {
      return (await how.run(items)).map((result) => ({ result }))
    } catch (error) {
      const isAboutAll = error instanceof HoldfastError && error.entry.retryable
      if (items.length === 1 || isAboutAll) return items.map(() => ({ refused: error }))
      const outcomes: Outcome<Result>[] = []
      for (const item of items) outcomes.push(...(await runSafely([item])))
      return outcomes
    }
  }
}
