import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { HoldfastError } from '../../domain/errors/index.ts'
import { errorBody } from '../../platform/errors/index.ts'
import type { Log } from '../../ports/log.ts'
import { errorPage } from '../pages/error.ts'
import { pagePolicy } from '../pages/layout.ts'

/** When a client should retry an error that may pass by itself. */
const retryAfterSeconds = 2

/** Answers a request with an error: the client gets the message of the table, the log has the rest. */
export function answerError(error: unknown, context: Context, log: Log): Response | Promise<Response> {
  const { method, path } = context.req
  const { status, headers, body } = errorAnswer(error, { method, path }, log)
  for (const [name, value] of Object.entries(headers)) context.header(name, value)
  if (!isForPeople(context)) return context.json(body, status as ContentfulStatusCode)
  context.header('content-security-policy', pagePolicy)
  return context.html(errorPage(status, body.error), status as ContentfulStatusCode)
}

/** Browsers accept text/html by name; programs accept JSON or anything. */
function isForPeople(context: Context): boolean {
  return /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(context.req.header('accept') ?? '')
}

/** The response to an error; our own failures are logged. */
export function errorAnswer(
  error: unknown,
  asked: { readonly method: string; readonly path: string },
  log: Log,
) {
  const { status, body } = errorBody(error)
  if (status >= 500) {
    const fields = { ...asked, err: error }
    if (error instanceof HoldfastError && error.entry.retryable) log.warn(fields, 'a request failed')
    else log.error(fields, 'a request failed unexpectedly')
  }
  const headers: Record<string, string> = {
    // The rest of the body is not read: the connection cannot be used again.
    ...(status === 413 || status === 415 ? { connection: 'close' } : {}),
    ...(body.error.retryable ? { 'retry-after': String(retryAfterSeconds) } : {}),
  }
  return { status, headers, body }
}
