import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'

/** Node's own request behind a context; undefined in a test without a server. */
export function incomingOf(context: Context): IncomingMessage | undefined {
  return (context.env as { incoming?: IncomingMessage } | undefined)?.incoming
}

/** The address that the connection came from. */
export function sourceOf(context: Context): string {
  return incomingOf(context)?.socket.remoteAddress ?? 'unknown'
}
