import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { HoldfastError } from '../../domain/errors/index.ts'
import { errorBody } from '../../platform/errors/index.ts'
import type { Log } from '../../ports/log.ts'

/** How soon a client should try again where the error may pass by itself. */
const retryAfterSeconds = 2

/** Ends a request with an error: the client reads what the table says, the log has the rest. */
export function answerError(error: unknown, context: Context, log: Log): Response {
  const { status, body } = errorBody(error)
  if (status >= 500) {
    const fields = { method: context.req.method, path: context.req.path, err: error }
    if (error instanceof HoldfastError && error.entry.retryable) log.warn(fields, 'a request failed')
    else log.error(fields, 'a request failed unexpectedly')
  }
  // What it still sends is not read: the connection cannot be used again.
  if (status === 413 || status === 415) context.header('connection', 'close')
  if (body.error.retryable) context.header('retry-after', String(retryAfterSeconds))
  return context.json(body, status as ContentfulStatusCode)
}
