import { z } from 'zod'
import { type Call, unavailable } from './transport/call.ts'
import { expectBody } from './transport/expect.ts'

const PER_PAGE = 100
/** Longer lists are refused rather than read in part: 10,000 items. */
const PAGES_MAX = 100
/** A list that changes while it is read is read again. */
const READS_MAX = 3

interface Identified {
  readonly id: number
}

/**
 * Every item of a list that says how long it is, each once; throws where the whole list could not be read. Of a
 * list that the forge shows only in part, `itemsMax` is how many of the first it shows.
 */
export async function readAll<T extends Identified>(
  call: Call,
  path: string,
  key: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
  itemsMax = PAGES_MAX * PER_PAGE,
): Promise<readonly T[]> {
  const schema = z.object({ total_count: z.int().min(0), [key]: z.array(item) })
  for (let read = 0; read < READS_MAX; read += 1) {
    let total = 0
    const items = await readPages(call, path, signal, schema, (body, count) => {
      const { total_count, [key]: list } = body as Record<string, unknown>
      total = total_count as number
      const its = list as readonly T[]
      return { items: its, isLast: count + its.length >= itemsMax }
    })
    // An item that moved over the edge of a page while we turned it would be missing without a word.
    if (items.length >= Math.min(total, itemsMax)) return items
  }
  throw unavailable(`GET ${path}`, 'the list kept changing while it was read')
}

/** Every item of a list that is nothing but its items. */
export async function readArray<T extends Identified>(
  call: Call,
  path: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  return readPages(call, path, signal, z.array(item), (items) => ({ items, isLast: false }))
}

async function readPages<T extends Identified, B>(
  call: Call,
  path: string,
  signal: AbortSignal,
  schema: z.ZodType<B>,
  pageOf: (body: B, countBefore: number) => { readonly items: readonly T[]; readonly isLast: boolean },
): Promise<readonly T[]> {
  const items = new Map<number, T>()
  const joint = path.includes('?') ? '&' : '?'
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await call('GET', `${path}${joint}per_page=${PER_PAGE}&page=${page}`, signal)
    const body = expectBody(answer, 200, schema, `GET ${path}`)
    const { items: list, isLast } = pageOf(body, (page - 1) * PER_PAGE)
    for (const each of list) items.set(each.id, each)
    if (list.length < PER_PAGE || isLast) return [...items.values()]
  }
  throw unavailable(`GET ${path}`, `the list is longer than ${PER_PAGE * PAGES_MAX} items`)
}
