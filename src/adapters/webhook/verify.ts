import { createHmac, timingSafeEqual } from 'node:crypto'
import type { RawDelivery, Verified } from '../../ports/webhooks.ts'

const guidLengthMax = 64
const eventLengthMax = 64

/** The headers of one forge. */
export interface Dialect {
  /** The HMAC-SHA256 over the body, in hex; empty where there is none. */
  signature(headers: RawDelivery['headers']): string
  readonly noSignature: string
  readonly guid: string
  readonly event: string
}

/** Verifies that a delivery was signed with one of our secrets over its raw bytes, and has an id, an event and JSON. */
export function verifyWebhook(
  { headers, body }: RawDelivery,
  secrets: readonly string[],
  dialect: Dialect,
): Verified {
  const signature = dialect.signature(headers)
  if (signature === '') return refused(dialect.noSignature)
  if (!isSigned(body, signature, secrets)) return refused('its signature fits none of our webhook secrets')
  const guid = headers[dialect.guid.toLowerCase()] ?? ''
  if (!isWord(guid, guidLengthMax)) return refused(`it has no usable ${dialect.guid}`)
  const event = headers[dialect.event.toLowerCase()] ?? ''
  if (!isWord(event, eventLengthMax)) return refused(`it has no usable ${dialect.event}`)
  const contentType = headers['content-type'] ?? ''
  if (!/^application\/json\b/i.test(contentType)) {
    return refused(`its content type is "${contentType.slice(0, 100)}"; set the webhook to application/json`)
  }
  return { kind: 'genuine', guid, event }
}

/** Compares every secret in constant time, so that timing does not reveal which one came near. */
function isSigned(body: Uint8Array, signature: string, secrets: readonly string[]): boolean {
  const given = Buffer.from(/^[0-9a-f]{64}$/i.exec(signature)?.[0] ?? '', 'hex')
  let fits = false
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(body).digest()
    const same = given.length === expected.length && timingSafeEqual(given, expected)
    fits = same || fits
  }
  return fits
}

function isWord(text: string, lengthMax: number): boolean {
  return text.length <= lengthMax && /^[\w-]+$/.test(text)
}

function refused(why: string): Verified {
  return { kind: 'refused', why }
}
