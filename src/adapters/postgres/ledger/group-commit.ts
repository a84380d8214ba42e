import { type BatchOrEach, batchOrEach, type ItemOutcome } from './batch-or-each.ts'
import { createBatcher } from './batcher.ts'

interface GroupCommit<Item> {
  /** No more items, and so locks, are in one transaction. */
  readonly max?: number
  /** Whether two items must not be in one transaction. */
  readonly conflict: (a: Item, b: Item) => boolean
}

const maxDefault = 32

/**
 * Calls that come while a transaction runs share the next one: a call costs mostly round trips and its commit. One that
 * fails takes no other with it.
 */
export function groupCommit<Item, Result>(
  how: GroupCommit<Item> & BatchOrEach<Item, Result>,
): (item: Item) => Promise<Result> {
  const submit = createBatcher<Item, ItemOutcome<Item, Result>>({
    max: how.max ?? maxDefault,
    conflict: how.conflict,
    async run(_, items) {
      const outcomes: ItemOutcome<Item, Result>[] = []
      for await (const outcome of batchOrEach(items, how)) outcomes.push(outcome)
      return outcomes
    },
  })
  return async (item) => {
    const outcome = await submit('', item)
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }
}

/** The same where one statement serves any number of items; it gives a result for each, in their order. */
export function groupCommitAll<Item, Result>(
  how: GroupCommit<Item> & { readonly run: (items: readonly Item[]) => Promise<readonly Result[]> },
): (item: Item) => Promise<Result> {
  return groupCommit({
    ...how,
    async batch(items) {
      const results = await how.run(items)
      return new Map(items.map((item, index) => [item, results[index] as Result]))
    },
    async one(item) {
      const [result] = await how.run([item])
      return result as Result
    },
  })
}
