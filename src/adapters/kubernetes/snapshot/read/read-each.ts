import type { Unread } from '../../../../domain/snapshot/index.ts'
import type { ReadContext } from './context.ts'
import { boundUnread, isForbidden, unreadOf } from './unread.ts'

export interface EachOrder<S, T> {
  /** All documents, in words. */
  readonly title: string
  readonly right: string
  readonly sources: readonly S[]
  nameOf(source: S): string
  read(source: S): Promise<T>
}

/** Reads one document of each source that a node serves. The answer that one is forbidden holds for all, and ends it. */
export async function readEach<S, T>(
  { title, right, sources, nameOf, read }: EachOrder<S, T>,
  context: ReadContext,
): Promise<{ readonly items: readonly T[]; readonly unread: readonly Unread[] }> {
  const items: T[] = []
  const unread: Unread[] = []
  let isRefused = false
  const readOne = async (source: S) => {
    if (isRefused) return
    try {
      items.push(await read(source))
      context.progress(`${title}: ${items.length} of ${sources.length} read`)
    } catch (error) {
      if (isRefused) return
      isRefused = isForbidden(error)
      unread.push(unreadOf({ what: isRefused ? title : nameOf(source), right }, error, context))
    }
  }
  await Promise.all(sources.map((source) => context.nodeGate(() => readOne(source))))
  return { items, unread: boundUnread(title, unread) }
}
