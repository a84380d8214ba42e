import { HoldfastError } from '../../../domain/errors/index.ts'

export interface BatchOrEach<Item, Result> {
  /** All items in one transaction. An item without a result must be run alone. */
  readonly batch: (items: readonly Item[]) => Promise<ReadonlyMap<Item, Result>>
  readonly one: (item: Item) => Promise<Result>
}

export type ItemOutcome<Item, Result> =
  | { readonly item: Item; readonly result: Result }
  | { readonly item: Item; readonly error: unknown }

/**
 * Runs a batch, and where it fails each item alone, so that one bad item takes no other with it. Where the ledger itself
 * is away nothing is learned by trying each: the error is that of all. Lazy: an item is run when its outcome is asked for.
 */
export async function* batchOrEach<Item, Result>(
  items: readonly Item[],
  { batch, one }: BatchOrEach<Item, Result>,
): AsyncGenerator<ItemOutcome<Item, Result>, void, void> {
  let results: ReadonlyMap<Item, Result> = new Map()
  try {
    if (items.length > 1) results = await batch(items)
  } catch (error) {
    if (isOfLedger(error)) {
      for (const item of items) yield { item, error }
      return
    }
  }
  for (const item of items) {
    if (results.has(item)) yield { item, result: results.get(item) as Result }
    else yield await alone(item, one)
  }
}

/** Whether an error is about the ledger (unreachable, contended) and not about the item that met it. */
export function isOfLedger(error: unknown): boolean {
  return error instanceof HoldfastError && error.entry.retryable
}

async function alone<Item, Result>(
  item: Item,
  one: (item: Item) => Promise<Result>,
): Promise<ItemOutcome<Item, Result>> {
  try {
    return { item, result: await one(item) }
  } catch (error) {
    return { item, error }
  }
}
