import type { Room } from '../ports/disk.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Parsed, RawDelivery, Webhooks } from '../ports/webhooks.ts'

export interface IntakeDeps {
  readonly ledger: Ledger
  readonly webhooks: Webhooks
  readonly installation: string
  readonly log: Log
  readonly metrics: Metrics
  /** Whether there is room to keep it; absent: always. */
  readonly room?: Room
}

export type Received =
  | { readonly kind: 'stored'; readonly guid: string }
  | { readonly kind: 'duplicate'; readonly guid: string }
  /** The forge asked whether we are there: answered, and nothing to keep. */
  | { readonly kind: 'pong'; readonly guid: string }
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
  // Not before it is proven: whether our disk is full is nobody's else.
  deps.room?.check()
  const body = new TextDecoder().decode(delivery.body)
  const parsed = parse(guid, event, body, deps)
  const kind = parsed.kind === 'ping' ? 'pong' : await store({ guid, event, body }, parsed, deps)
  deps.metrics.count('holdfast_deliveries_total', { outcome: kind })
  return { kind, guid }
}

/** One that our parser cannot take is kept like any other: the forge would not send it again by itself. */
function parse(guid: string, event: string, body: string, { webhooks, log }: IntakeDeps): Parsed {
  try {
    return webhooks.parse(event, body)
  } catch (error) {
    log.error({ guid, event, err: error }, 'a webhook could not be read; it is kept')
    return { kind: 'malformed', why: error instanceof Error ? error.message : String(error) }
  }
}

/** Also what is not as documented is kept, for whoever wants to know what came. */
function store(
  delivery: { readonly guid: string; readonly event: string; readonly body: string },
  parsed: Parsed,
  { ledger, installation }: IntakeDeps,
): Promise<'stored' | 'duplicate'> {
  // Words about one job are worked on in the order of their arrival.
  const subject = parsed.kind === 'word' ? `job ${parsed.word.job.forgeJobId}` : null
  return ledger.storeDelivery({ ...delivery, installation, subject })
}
