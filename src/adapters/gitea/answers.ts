import { z } from 'zod'
import { HoldfastError } from '../../domain/errors/index.ts'
import { type ApiResponse, type Call, unavailable } from './call.ts'
import { messageSchema } from './schemas.ts'

const perPage = 50
/** Longer lists are refused rather than read in part: 10,000 items. */
const pagesMax = 200
/** A list that changes while it is read is read again. */
const readsMax = 5

/** The body of an answer with this status; throws for any other. */
export function expectBody<T>(answer: ApiResponse, status: number, schema: z.ZodType<T>, name: string): T {
  if (answer.status !== status) throw unexpected(answer, name)
  const parsed = schema.safeParse(answer.body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') || 'its top'
  throw unavailable(name, `its answer is not as documented at ${where}: ${issue?.message}`)
}

/** The error for an unexpected answer. */
export function unexpected(answer: ApiResponse, name: string): Error {
  return new UnexpectedStatus(answer, name)
}

class UnexpectedStatus extends HoldfastError {
  readonly status: number

  constructor(answer: ApiResponse, call: string) {
    super('E_FORGE_UNAVAILABLE', { call, why: `it answered ${answer.status} ${messageOf(answer)}`.trim() })
    this.status = answer.status
  }
}

/** Whether Gitea hides the object: it is gone, access is denied, or it never existed. */
export function isNotShown(error: unknown): boolean {
  return error instanceof UnexpectedStatus && (error.status === 404 || error.status === 403)
}

/** Gitea's error message, in one line. */
export function messageOf({ body }: Pick<ApiResponse, 'body'>): string {
  const parsed = messageSchema.safeParse(body)
  return parsed.success ? parsed.data.message.replaceAll(/\s+/g, ' ') : ''
}

interface Listed<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** Reads every item of a list, each once; throws where the whole list could not be read. */
export async function readAll<T extends { readonly id: number }>(
  call: Call,
  path: string,
  key: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  for (let read = 0; read < readsMax; read += 1) {
    const items = await readOnce(call, path, key, item, signal)
    if (items !== null) return items
  }
  throw unavailable(`GET ${path}`, 'the list kept changing while it was read')
}

/**
 * Null: the list changed between two pages, so that an item may have moved across the boundary unseen. Gitea chooses the
 * page size (MAX_RESPONSE_ITEMS), so only the total count shows where the list ends.
 */
async function readOnce<T extends { readonly id: number }>(
  call: Call,
  path: string,
  key: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): Promise<readonly T[] | null> {
  const found = new Map<number, T>()
  let expected: number | null = null
  for (let page = 1; page <= pagesMax; page += 1) {
    const { items, total } = await readPage(call, path, key, item, page, signal)
    expected ??= total
    if (total !== expected) return null
    for (const each of items) found.set(each.id, each)
    if (found.size >= total) return [...found.values()]
    if (items.length === 0) return null
  }
  throw unavailable(`GET ${path}`, `the list is longer than ${pagesMax} pages`)
}

/** Reads one page of a list that carries its items under a key. */
export async function readPage<T>(
  call: Call,
  path: string,
  key: string,
  item: z.ZodType<T>,
  page: number,
  signal: AbortSignal,
): Promise<Listed<T>> {
  const joint = path.includes('?') ? '&' : '?'
  const answer = await call.rest('GET', `${path}${joint}limit=${perPage}&page=${page}`, signal)
  const schema = z.object({ total_count: z.int().min(0), [key]: z.array(item).nullable() })
  const body = expectBody(answer, 200, schema, `GET ${path}`) as Record<string, unknown>
  return { items: (body[key] as T[] | null) ?? [], total: body.total_count as number }
}

/** Reads every item of a list that is a bare array; its count is in a header. */
export async function readArray<T extends { readonly id: number }>(
  call: Call,
  path: string,
  item: z.ZodType<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const found = new Map<number, T>()
  for (let page = 1; page <= pagesMax; page += 1) {
    const answer = await call.rest('GET', `${path}?limit=${perPage}&page=${page}`, signal)
    const items = expectBody(answer, 200, z.array(item), `GET ${path}`)
    for (const each of items) found.set(each.id, each)
    if (items.length === 0) return [...found.values()]
  }
  throw unavailable(`GET ${path}`, `the list is longer than ${pagesMax} pages`)
}
