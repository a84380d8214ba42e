import { z } from 'zod'
import { type Call, unavailable } from './transport/call.ts'
import { expectBody } from './transport/expect.ts'

const perPage = 100
/** Longer lists are refused rather than read in part: 10,000 items. */
const pagesMax = 100
/** A list that changes while it is read is read again. */
const readsMax = 3

interface Identified {
  readonly id: number
}

/** Receives a description of each item that is missing in a list that is read leniently. */
export type OnSkipped = (path: string, why: string) => void

export interface ListOptions {
  /** The number of items that the forge shows of a longer list. */
  readonly itemsMax?: number
  /**
   * Where given, the list is read leniently: invalid items, and items that the forge counts and never shows, are skipped
   * and reported. Not for lists in which absence means anything.
   */
  readonly onSkipped?: OnSkipped | undefined
}

/** Reads every item of a list with a count, each once; throws where the whole list could not be read. */
export async function readAll<T extends Identified>(
  call: Call,
  path: string,
  key: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
  { itemsMax = pagesMax * perPage, onSkipped }: ListOptions = {},
): Promise<readonly T[]> {
  const isLenient = onSkipped !== undefined
  const schema = z.object({
    total_count: z.int().min(0),
    [key]: z.array(isLenient ? lenient(item) : item),
  })
  const found = new Map<number, T>()
  const broken = new Set<string>()
  let total = 0
  for (let read = 0; read < readsMax; read += 1) {
    const items = await readPages(call, path, signal, schema, (body, count) => {
      const { total_count, [key]: list } = body as Record<string, unknown>
      total = total_count as number
      const its = list as readonly (T | Broken)[]
      for (const each of its) if (isBroken(each)) broken.add(each.why)
      return {
        items: its.filter((each): each is T => !isBroken(each)),
        isLast: count + its.length >= itemsMax,
        length: its.length,
      }
    })
    for (const each of items) found.set(each.id, each)
    const length = isLenient ? found.size + broken.size : items.length
    // An item that moved across a page boundary between two reads would be missing silently.
    if (length >= Math.min(total, itemsMax)) break
    if (read === readsMax - 1) {
      if (!isLenient) throw unavailable(`GET ${path}`, 'the list kept changing while it was read')
      onSkipped(path, `it counts ${total} and shows ${length}`)
    }
  }
  for (const why of broken) onSkipped?.(path, why)
  return [...found.values()]
}

interface Broken {
  readonly broken: true
  readonly why: string
}

/** An item, or the reason why it is invalid. */
function lenient<T>(item: z.ZodType<T>): z.ZodType<T | Broken> {
  return z.unknown().transform((given): T | Broken => {
    const parsed = item.safeParse(given)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const id = z.object({ id: z.number() }).safeParse(given)
    const whose = id.success ? `item ${id.data.id}` : 'an item'
    return {
      broken: true,
      why: `${whose} is not as documented at ${issue?.path.join('.')}: ${issue?.message}`,
    }
  })
}

function isBroken(each: object): each is Broken {
  return 'broken' in each && each.broken === true && 'why' in each
}

/** Reads every item of a list that is a bare array. */
export async function readArray<T extends Identified>(
  call: Call,
  path: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  return readPages(call, path, signal, z.array(item), (items) => ({
    items,
    isLast: false,
    length: items.length,
  }))
}

interface Page<T> {
  readonly items: readonly T[]
  readonly isLast: boolean
  /** The number of items on the page, skipped ones included. */
  readonly length: number
}

async function readPages<T extends Identified, B>(
  call: Call,
  path: string,
  signal: AbortSignal,
  schema: z.ZodType<B>,
  pageOf: (body: B, countBefore: number) => Page<T>,
): Promise<readonly T[]> {
  const items = new Map<number, T>()
  const joint = path.includes('?') ? '&' : '?'
  for (let page = 1; page <= pagesMax; page += 1) {
    const answer = await call('GET', `${path}${joint}per_page=${perPage}&page=${page}`, signal)
    const body = expectBody(answer, 200, schema, `GET ${path}`)
    const { items: list, isLast, length } = pageOf(body, (page - 1) * perPage)
    for (const each of list) items.set(each.id, each)
    if (length < perPage || isLast) return [...items.values()]
  }
  throw unavailable(`GET ${path}`, `the list is longer than ${perPage * pagesMax} items`)
}
