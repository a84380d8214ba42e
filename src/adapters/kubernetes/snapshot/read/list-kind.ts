import { isError } from '../../../../domain/errors/index.ts'
import type { Listing, Unread } from '../../../../domain/snapshot/index.ts'
import type { ObjectKind } from '../../../../ports/cluster.ts'
import { collectionPath } from '../../client/index.ts'
import { type Parse, parseAll } from '../parse/parse-all.ts'
import type { ReadContext } from './context.ts'
import { boundUnread, rightTo, unreadOf } from './unread.ts'

/** Each has been tried again several times by then: the server is gone, and not one answer lost. */
const unansweredPlacesMax = 2

/** Five times the fleet that is planned for; a snapshot of more would not fit into a mail. */
const defaultItemsMax = 50_000

/** How objects of one kind become facts. */
export interface FactKind<T> {
  readonly kind: ObjectKind
  /** Asked in turn where the server does not serve the newest. */
  readonly olderVersions?: readonly string[]
  /** A kind that is installed: where the server does not know it, there are none. */
  readonly isInstalled?: boolean
  readonly fieldSelector?: string
  /** In one place, readable or not. */
  readonly itemsMax?: number
  readonly parse: Parse<T>
}

/** All facts of a kind, in all namespaces or in some; a page that fails costs only what comes after it. */
export async function listKind<T>(
  of: FactKind<T>,
  namespaces: readonly string[] | null,
  context: ReadContext,
): Promise<Listing<T>> {
  const at = context.clock.now()
  const items: T[] = []
  const unread: Unread[] = []
  const places = namespaces === null || !of.kind.isNamespaced ? [undefined] : namespaces
  let unanswered = 0
  for (const [index, namespace] of places.entries()) {
    const read = await context.listGate(() => readPages(of, namespace, items, context))
    unread.push(...read.unread)
    unanswered = read.isAnswered ? 0 : unanswered + 1
    if (unanswered < unansweredPlacesMax) continue
    unread.push(...places.slice(index + 1).map((each) => unasked(of, each)))
    break
  }
  return { source: 'cluster', at, items, unread: boundUnread(of.kind.plural, unread) }
}

function unasked({ kind }: FactKind<unknown>, namespace: string | undefined): Unread {
  return {
    what: titleOf(kind, namespace),
    why: 'the cluster gave no answer about the ones before',
    needs: null,
  }
}

interface PagesRead {
  readonly unread: readonly Unread[]
  readonly isAnswered: boolean
}

/** Adds the facts of one place; what is unread there. */
async function readPages<T>(
  of: FactKind<T>,
  namespace: string | undefined,
  items: T[],
  context: ReadContext,
): Promise<PagesRead> {
  const { kind, fieldSelector, parse, itemsMax = defaultItemsMax } = of
  const title = titleOf(kind, namespace)
  const unread: Unread[] = []
  let count = 0
  try {
    for await (const page of context.reads.pages(
      { path: collectionPath(kind, namespace), fieldSelector },
      context.signal,
    )) {
      const parsed = parseAll(page, parse, kind.plural, context.mask)
      for (const item of parsed.items) items.push(item)
      unread.push(...parsed.unread)
      count += page.length
      context.progress(`${title}: ${count.toLocaleString('en')} read`)
      if (count >= itemsMax) {
        const why = `at most ${itemsMax} are read`
        const rest = { what: `${title} after the first ${count}`, why, needs: 'a narrower scope' }
        return { unread: [rest, ...unread], isAnswered: true }
      }
    }
  } catch (error) {
    if (isError(error, 'E_CLUSTER_NOT_FOUND') && count === 0) {
      const [version, ...olderVersions] = of.olderVersions ?? []
      if (version !== undefined) {
        return readPages({ ...of, kind: { ...kind, version }, olderVersions }, namespace, items, context)
      }
      if (of.isInstalled) return { unread: [], isAnswered: true }
    }
    const what = count === 0 ? title : `${title} after the first ${count}`
    // First, since of many objects that are none the last are only counted.
    unread.unshift(unreadOf({ what, right: rightTo('list', kind, namespace) }, error, context))
    return { unread, isAnswered: !isError(error, 'E_CLUSTER_UNREACHABLE') }
  }
  return { unread, isAnswered: true }
}

function titleOf({ plural }: ObjectKind, namespace: string | undefined): string {
  return namespace === undefined ? plural : `${plural} in ${namespace}`
}
