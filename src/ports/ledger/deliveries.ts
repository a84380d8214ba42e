import type { Instant } from '../../domain/time.ts'

/** Webhook deliveries as they came, and what became of each. */
export interface DeliveryLedger {
  /** Keeps a raw webhook, once per GUID. */
  storeDelivery(
    delivery: Pick<Delivery, 'guid' | 'installation' | 'event' | 'subject' | 'body'>,
  ): Promise<'stored' | 'duplicate'>
  /**
   * Deliveries of the served installation that wait to be worked on, oldest first; none whose subject has an older one that is not settled and
   * waits to be tried again. Working on one twice is harmless.
   */
  pendingDeliveries(limit: number): Promise<readonly Delivery[]>
  settleDelivery(guid: string, outcome: DeliveryOutcome): Promise<void>
  /** Newest first, at most so many. */
  deliveries(filter: {
    readonly states?: readonly DeliveryState[]
    readonly limit: number
  }): Promise<readonly DeliveryRow[]>
  /** The GUIDs among these that were stored. */
  knownDeliveries(guids: readonly string[]): Promise<ReadonlySet<string>>
  /** Works on a settled delivery once more, as if it had just come. */
  replayDelivery(guid: string): Promise<'replayed' | 'pending' | 'unknown'>
}

export interface Delivery {
  readonly guid: string
  readonly installation: string
  readonly event: string
  /** The body as it came, bytes that the signature covers. */
  readonly body: string
  /** The subject, such as one job: deliveries of one subject are worked on in the order of their arrival. */
  readonly subject: string | null
  readonly receivedAt: Instant
  readonly tries: number
}

export const deliveryStates = ['pending', 'done', 'ignored', 'poison'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** A delivery and what became of it, without its body. */
export interface DeliveryRow extends Omit<Delivery, 'body'> {
  readonly state: DeliveryState
  readonly note: string | null
  readonly settledAt: Instant | null
}

export type DeliveryOutcome =
  | { readonly kind: 'done'; readonly note: string }
  /** Nothing for us: counted, kept, not tried again. */
  | { readonly kind: 'ignored'; readonly note: string }
  | { readonly kind: 'failed'; readonly note: string; readonly retryInMs: number }
  /** Tried often enough: set aside with the reason until somebody replays it. */
  | { readonly kind: 'poison'; readonly note: string }
