import type { Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { RawDelivery, Webhooks } from '../ports/webhooks.ts'

export interface IntakeDeps {
  readonly ledger: Ledger
  readonly webhooks: Webhooks
  readonly installation: string
  readonly log: Log
  readonly metrics: Metrics
}

export type Received =
  | { readonly kind: 'stored'; readonly guid: string }
  | { readonly kind: 'duplicate'; readonly guid: string }
  | { readonly kind: 'refused'; readonly why: string }

/** A webhook is verified and kept before it is answered; work happens from the table. */
export async function receive(delivery: RawDelivery, deps: IntakeDeps): Promise<Received> {
  const verified = deps.webhooks.verify(delivery)
  if (verified.kind === 'refused') {
    deps.log.warn({ why: verified.why }, 'a webhook was refused')
    deps.metrics.count('holdfast_deliveries_total', { outcome: 'refused' })
    return verified
  }
  const { guid, event } = verified
  const body = new TextDecoder().decode(delivery.body)
  const kind = await deps.ledger.storeDelivery({ guid, installation: deps.installation, event, body })
  deps.metrics.count('holdfast_deliveries_total', { outcome: kind })
  return { kind, guid }
}
