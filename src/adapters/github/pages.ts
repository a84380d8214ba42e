import { z } from 'zod'
import { type Answer, type Call, unavailable } from './call.ts'
import { isLimit, messageOf } from './refusal.ts'

const PER_PAGE = 100
/** Longer lists are refused rather than read in part: 10,000 items. */
const PAGES_MAX = 100
/** A list that changes while it is read is read again. */
const READS_MAX = 3

/** Every item of a list, each once; throws where the whole list could not be read. */
export async function readAll<T extends { readonly id: number }>(
  call: Call,
  path: string,
  key: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  for (let read = 0; read < READS_MAX; read += 1) {
    const { items, total } = await readPages(call, path, key, item, signal)
    // An item that moved over the edge of a page while we turned it would be missing without a word.
    if (items.size >= total) return [...items.values()]
  }
  throw unavailable(`GET ${path}`, 'the list kept changing while it was read')
}

async function readPages<T extends { readonly id: number }>(
  call: Call,
  path: string,
  key: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): Promise<{ items: Map<number, T>; total: number }> {
  const schema = z.object({ total_count: z.int().min(0), [key]: z.array(item) })
  const items = new Map<number, T>()
  const joint = path.includes('?') ? '&' : '?'
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const answer = await call('GET', `${path}${joint}per_page=${PER_PAGE}&page=${page}`, signal)
    const body = expectBody(answer, 200, schema, `GET ${path}`) as Record<string, unknown>
    const list = body[key] as T[]
    for (const each of list) items.set(each.id, each)
    if (list.length < PER_PAGE) return { items, total: body.total_count as number }
  }
  throw unavailable(`GET ${path}`, `the list is longer than ${PER_PAGE * PAGES_MAX} items`)
}

/** The body of an answer with this status; anything else is no answer to build on. */
export function expectBody<T>(answer: Answer, status: number, schema: z.ZodType<T>, name: string): T {
  if (answer.status !== status) throw unexpected(answer, name)
  if (answer.body === undefined) throw unavailable(name, `it answered ${status} with no JSON body`)
  const parsed = schema.safeParse(answer.body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw unavailable(name, `its answer is not as documented at ${issue?.path.join('.')}: ${issue?.message}`)
}

/** An answer that says nothing about what was asked. */
export function unexpected(answer: Answer, name: string): Error {
  const limit = isLimit(answer) ? ' (rate limit)' : ''
  return unavailable(name, `it answered ${answer.status} ${messageOf(answer)}`.trim() + limit)
}
