import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ZodError, ZodType } from 'zod'

const DOCUMENTATION = 'https://docs.github.com/rest'

/** An error as GitHub words it. */
export function refuse(
  c: Context,
  status: ContentfulStatusCode,
  message: string,
  errors?: unknown,
): Response {
  const body = { message, ...(errors !== undefined && { errors }), documentation_url: DOCUMENTATION }
  return c.json({ ...body, status: String(status) }, status)
}

export const notFound = (c: Context): Response => refuse(c, 404, 'Not Found')

/** The body as the schema wants it, or the answer that says what is wrong with it. */
export async function readBody<T>(c: Context, schema: ZodType<T>): Promise<T | Response> {
  let value: unknown
  try {
    value = JSON.parse(await c.req.text())
  } catch {
    return refuse(c, 400, 'Problems parsing JSON')
  }
  const parsed = schema.safeParse(value)
  return parsed.success ? parsed.data : refuse(c, 422, 'Validation Failed', problems(parsed.error))
}

/** A path's number, or null where it is not one. */
export function idParam(c: Context, name: string): number | null {
  const text = c.req.param(name) ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

const PER_PAGE_DEFAULT = 30
const PER_PAGE_MAX = 100

/** The page of a list that was asked for, as GitHub cuts it. */
export function page<T>(c: Context, items: readonly T[]): readonly T[] {
  const perPage = Math.min(positive(c.req.query('per_page'), PER_PAGE_DEFAULT), PER_PAGE_MAX)
  const number = positive(c.req.query('page'), 1)
  return items.slice((number - 1) * perPage, number * perPage)
}

function positive(text: string | undefined, otherwise: number): number {
  const value = Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise
}

function problems(error: ZodError): { field: string; code: string; message: string }[] {
  return error.issues.map((issue) => ({
    field: issue.path.join('.') || '(body)',
    code: 'invalid',
    message: issue.message,
  }))
}
