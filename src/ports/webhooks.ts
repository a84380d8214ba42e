import type { JobEvent } from '../domain/job-event/index.ts'

/** A delivery as it came, before it is verified. */
export interface RawDelivery {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

export type Verified =
  | { readonly kind: 'genuine'; readonly guid: string; readonly event: string }
  | { readonly kind: 'refused'; readonly why: string }

export type Parsed =
  /** The forge asks whether we are there. */
  | { readonly kind: 'ping' }
  | { readonly kind: 'job-event'; readonly jobEvent: JobEvent }
  /** Genuine, but not about jobs of ours: counted, never an error. */
  | { readonly kind: 'ignored'; readonly why: string }
  /** Genuine, and its job is not known yet: it is tried again, without a limit. */
  | { readonly kind: 'deferred'; readonly why: string }
  /** Genuine, but not what the forge documents. */
  | { readonly kind: 'malformed'; readonly why: string }

/** How one forge signs and words its messages, so that the intake is blind to which forge it is. */
export interface Webhooks {
  /** Checks the signature over the raw body, in constant time, against every secret that is valid. */
  verify(delivery: RawDelivery): Verified
  parse(event: string, body: string): Parsed
}
