import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ZodError, ZodType } from 'zod'

const documentationUrl = 'https://docs.github.com/rest'

/** An error as GitHub words it. */
export function refuse(
  c: Context,
  status: ContentfulStatusCode,
  message: string,
  errors?: unknown,
  documentation = documentationUrl,
): Response {
  const body = { message, ...(errors !== undefined && { errors }), documentation_url: documentation }
  return c.json({ ...body, status: String(status) }, status)
}

export const notFound = (c: Context): Response => refuse(c, 404, 'Not Found')

/** The body as the schema wants it, or the answer that says what is wrong with it. */
export async function readBody<T>(c: Context, schema: ZodType<T>): Promise<T | Response> {
  const value = await jsonOf(c)
  if (value === undefined) return refuse(c, 400, 'Problems parsing JSON')
  const parsed = schema.safeParse(value)
  return parsed.success ? parsed.data : refuse(c, 422, 'Validation Failed', problems(parsed.error))
}

/** A path's number, or null where it is not one. */
export function idParam(c: Context, name: string): number | null {
  const text = c.req.param(name) ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** The body as the schema wants it, or the answer with which GitHub's API reports what is wrong with it. */
export async function readOrder<T>(c: Context, schema: ZodType<T>): Promise<T | Response> {
  const value = await jsonOf(c)
  if (value === undefined) return refuse(c, 400, 'Problems parsing JSON')
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const lines = problems(parsed.error).map(({ field, message }) => `For '${field}', ${message}`)
  return refuse(c, 422, `Invalid request.\n\n${lines.join('\n')}`)
}

async function jsonOf(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text())
  } catch {
    return undefined
  }
}

function problems(error: ZodError): { field: string; code: string; message: string }[] {
  return error.issues.map((issue) => ({
    field: issue.path.join('.') || '(body)',
    code: 'invalid',
    message: issue.message,
  }))
}
