import type { RawDelivery } from '../../src/ports/webhooks.ts'
import type { ForgeCore, Webhook } from '../forge/core/index.ts'
import type { Holdfast } from './holdfast.ts'
import { type NetworkDeps, request } from './network.ts'

/** The forge waits so long for the answer to a webhook. */
const webhookTimeoutMs = 10_000

interface Delivery {
  readonly core: ForgeCore
  readonly network: NetworkDeps
  /** A process that takes requests now; null: none is up. */
  readonly server: () => Holdfast | null
}

/** Sends webhooks to Holdfast over the network, and notes at the forge what became of each. */
export function deliverWebhooks(webhooks: readonly Webhook[], { core, network, server }: Delivery): void {
  const { scheduler } = network
  for (const webhook of webhooks) {
    const body = new TextEncoder().encode(JSON.stringify(webhook.payload))
    const headers = { 'x-github-delivery': webhook.guid, 'x-github-event': webhook.event }
    const what = `webhook ${webhook.guid.slice(0, 8)}`
    const sentAt = scheduler.now()
    void request(what, () => receive({ headers, body }, server(), network), webhookTimeoutMs, network).then(
      (answer) =>
        core.noteDelivery(webhook.message, {
          deliveredAt: sentAt,
          durationMs: scheduler.now() - sentAt,
          statusCode: answer === 'stored' ? 202 : null,
          why: answer === 'stored' ? null : 'simulated',
        }),
    )
  }
}

/** As GitHub: a webhook that was not accepted is not sent again by itself. */
async function receive(
  delivery: RawDelivery,
  process: Holdfast | null,
  { history }: NetworkDeps,
): Promise<'stored' | 'failed'> {
  if (process === null) return 'failed'
  return process.receive(delivery).then(
    () => 'stored',
    (error) => {
      history.note('webhook', `not stored: ${error.message}`)
      return 'failed'
    },
  )
}
