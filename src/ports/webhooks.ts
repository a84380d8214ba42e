import type { ForgeWord } from '../domain/binding/index.ts'

/** What a forge sent, before anything is believed. */
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
  | { readonly kind: 'word'; readonly word: ForgeWord }
  /** Genuine, but not about jobs of ours: counted, never an error. */
  | { readonly kind: 'ignored'; readonly why: string }
  /** Genuine, and it cannot be told yet which job it is about: it is tried again, however often. */
  | { readonly kind: 'deferred'; readonly why: string }
  /** Genuine, but not what the forge documents. */
  | { readonly kind: 'malformed'; readonly why: string }

/** How one forge signs and words its messages, so that the intake is blind to which forge it is. */
export interface Webhooks {
  /** Checks the signature over the raw body, in constant time, against every secret that is valid. */
  verify(delivery: RawDelivery): Verified
  parse(event: string, body: string): Parsed
}
