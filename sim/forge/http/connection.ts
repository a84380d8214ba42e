import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** Aborts when the other side has hung up: what is then decided for it would be lost. */
export function closedSignal(c: Context<{ Bindings: HttpBindings }>): AbortSignal {
  const controller = new AbortController()
  const { outgoing } = c.env
  if (outgoing.destroyed) controller.abort()
  outgoing.once('close', () => controller.abort())
  return controller.signal
}
