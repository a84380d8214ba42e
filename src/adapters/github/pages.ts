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

/** What is missing in a list that is read leniently, in words for people. */
export type OnSkipped = (path: string, why: string) => void

export interface ListOptions {
  /** Of a list that the forge shows only in part, how many of the first it shows. */
  readonly itemsMax?: number
  /**
   * Given, the list is read leniently: an item that is not as documented is passed over and told, and so are those
   * that the forge counts and never shows. Not for lists in which absence means anything.
   */
  readonly onSkipped?: OnSkipped | undefined
}

/** Every item of a list that says how long it is, each once; throws where the whole list could not be read. */
export async function readAll<T extends Identified>(
  call: Call,
  path: string,
  key: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
  { itemsMax = PAGES_MAX * PER_PAGE, onSkipped }: ListOptions = {},
): Promise<readonly T[]> {
  const isLenient = onSkipped !== undefined
  const schema = z.object({
    total_count: z.int().min(0),
    [key]: z.array(isLenient ? lenient(item) : item),
  })
  const found = new Map<number, T>()
  const broken = new Set<string>()
  let total = 0
  for (let read = 0; read < READS_MAX; read += 1) {
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
    // An item that moved over the edge of a page while we turned it would be missing without a word.
    if (length >= Math.min(total, itemsMax)) break
    if (read === READS_MAX - 1) {
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

/** An item, or why it is none. */
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

/** Every item of a list that is nothing but its items. */
export async function readArray<T extends Identified>(
  call: Call,
  path: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  return readPages(call, path, signal, z.array(item), (items) => ({
    ...{ items, isLast: false, length: items.length },
  }))
}

interface Page<T> {
  readonly items: readonly T[]
  readonly isLast: boolean
  /** How many there are on it, also those that are passed over. */
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
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await call('GET', `${path}${joint}per_page=${PER_PAGE}&page=${page}`, signal)
    const body = expectBody(answer, 200, schema, `GET ${path}`)
    const { items: list, isLast, length } = pageOf(body, (page - 1) * PER_PAGE)
    for (const each of list) items.set(each.id, each)
    if (length < PER_PAGE || isLast) return [...items.values()]
  }
  throw unavailable(`GET ${path}`, `the list is longer than ${PER_PAGE * PAGES_MAX} items`)
}
