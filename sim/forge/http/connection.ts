import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** Made once: a reason for each of them would cost more than the question that it ends. */
const hungUp = new Error('the other side has hung up')

/** Aborts when the other side has hung up: what is then decided for it would be lost. */
export function closedSignal(c: Context<{ Bindings: HttpBindings }>): AbortSignal {
  const controller = new AbortController()
  const { outgoing } = c.env
  if (outgoing.destroyed) controller.abort(hungUp)
  outgoing.once('close', () => controller.abort(hungUp))
  return controller.signal
}
