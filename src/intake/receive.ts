import { reasonOf } from '../domain/reason.ts'
import type { DiskHeadroom } from '../ports/disk.ts'
import type { DeliveryLedger, JobEventLedger, JobReader } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Parsed, RawDelivery, Webhooks } from '../ports/webhooks.ts'

export interface IntakeDeps {
  readonly ledger: JobEventLedger & JobReader & DeliveryLedger
  readonly webhooks: Webhooks
  readonly installation: string
  readonly log: Log
  readonly metrics: Metrics
  /** Whether the ledger's disk has room for it; absent: always. */
  readonly headroom?: DiskHeadroom
}

export type Received =
  | { readonly kind: 'stored'; readonly guid: string }
  | { readonly kind: 'duplicate'; readonly guid: string }
  /** The forge's ping: answered, and not stored. */
  | { readonly kind: 'pong'; readonly guid: string }
  | { readonly kind: 'refused'; readonly why: string }

/** Verifies a webhook and stores it before it is answered; the intake loop works on it later. */
export async function receive(delivery: RawDelivery, deps: IntakeDeps): Promise<Received> {
  const verified = deps.webhooks.verify(delivery)
  if (verified.kind === 'refused') {
    deps.log.warn({ why: verified.why }, 'a webhook was refused')
    deps.metrics.count('holdfast_deliveries_total', { outcome: 'refused' })
    return verified
  }
  const { guid, event } = verified
  // Only after the signature is verified: a stranger must not learn whether our disk is full.
  deps.headroom?.check()
  const body = new TextDecoder().decode(delivery.body)
  const parsed = parse(guid, event, body, deps)
  const kind = parsed.kind === 'ping' ? 'pong' : await store({ guid, event, body }, parsed, deps)
  deps.metrics.count('holdfast_deliveries_total', { outcome: kind })
  return { kind, guid }
}

/** A delivery that our parser fails on is stored like any other: the forge would not send it again by itself. */
function parse(guid: string, event: string, body: string, { webhooks, log }: IntakeDeps): Parsed {
  try {
    return webhooks.parse(event, body)
  } catch (error) {
    log.error({ guid, event, err: error }, 'a webhook could not be read; it is kept')
    return { kind: 'malformed', why: reasonOf(error) }
  }
}

/** A delivery that does not match its documentation is stored too, so that people can see what arrived. */
function store(
  delivery: { readonly guid: string; readonly event: string; readonly body: string },
  parsed: Parsed,
  { ledger, installation }: IntakeDeps,
): Promise<'stored' | 'duplicate'> {
  // Events about one job are applied in order of arrival.
  const subject = parsed.kind === 'job-event' ? `job ${parsed.jobEvent.job.forgeJobId}` : null
  return ledger.storeDelivery({ ...delivery, installation, subject })
}
