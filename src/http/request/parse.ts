import type { Context } from 'hono'
import type { z } from 'zod'
import { HoldfastError } from '../../domain/errors/index.ts'
import { readBody } from './read-body.ts'

/** Parses the JSON body by a schema. Throws E_REQUEST_INVALID, or E_REQUEST_TOO_LARGE. */
export async function parseBody<Schema extends z.ZodType>(
  context: Context,
  schema: Schema,
  bytesMax: number,
): Promise<z.output<Schema>> {
  return parseJson(await readBody(context, bytesMax), schema)
}

/** Parses JSON by a schema. Throws E_REQUEST_INVALID. */
export function parseJson<Schema extends z.ZodType>(body: Uint8Array, schema: Schema): z.output<Schema> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    // The error does not quote the body, which may hold a secret.
    throw invalid('body', [`expected JSON, got ${body.byteLength} bytes that are not`])
  }
  return checked(schema, value, 'body')
}

/** Parses the query by a schema. Throws E_REQUEST_INVALID. */
export function parseQuery<Schema extends z.ZodType>(context: Context, schema: Schema): z.output<Schema> {
  const repeated = Object.entries(context.req.queries()).filter(([, values]) => values.length > 1)
  if (repeated.length > 0) {
    throw invalid(
      'query',
      repeated.map(([name]) => `${name}: expected once, got several`),
    )
  }
  return checked(schema, context.req.query(), 'query')
}

/** Our number of a job, or the forge's as `installation:forgeJobId`. */
export type JobName =
  | { readonly kind: 'ours'; readonly id: number }
  | { readonly kind: 'forge'; readonly installation: string; readonly forgeJobId: number }

/** An installation may be named by its server's address, with a port and a path. */
const jobName = /^(?:([^:\p{Cc}]{1,100}(?::\d{1,5}(?:\/[^:\p{Cc}]{0,100})?)?):)?(\d{1,15})$/u

export function parseJobName(text: string): JobName {
  const [, installation, digits] = jobName.exec(text) ?? []
  if (digits === undefined) {
    throw invalid('path', ['job: expected a number, or installation:number as the forge has it'])
  }
  const id = Number(digits)
  return installation === undefined ? { kind: 'ours', id } : { kind: 'forge', installation, forgeJobId: id }
}

/** Parses a part of the path by a schema. Throws E_REQUEST_INVALID. */
export function parsePart<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  return checked(schema, text, 'path')
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw invalid(
    where,
    parsed.error.issues.map(({ path, message }) => `${path.join('.') || where}: ${message}`),
  )
}

function invalid(where: string, problems: readonly string[]): HoldfastError {
  return new HoldfastError('E_REQUEST_INVALID', { where, problems })
}
