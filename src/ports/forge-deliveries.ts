import type { Instant } from '../domain/time.ts'

/** One try of the forge to send a webhook; a message that was sent again has several, under one GUID. */
export interface SentDelivery {
  /** By which the forge is asked to send it again. */
  readonly id: string
  readonly guid: string
  readonly event: string
  readonly sentAt: Instant
  /** Whether somebody answered it with success. */
  readonly isReceived: boolean
}

/** The forge's own list of the webhooks that it sent us. Not every forge has one. */
export interface ForgeDeliveries {
  /** All that were sent since, the newest first. Throws where the list could not be read down to there. */
  sentSince(since: Instant, signal: AbortSignal): Promise<readonly SentDelivery[]>
  /** `gone`: the forge does not keep it any more. */
  sendAgain(id: string, signal: AbortSignal): Promise<'asked' | 'gone'>
}
