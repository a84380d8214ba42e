import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Whether two secrets are the same, in a time that says nothing about them. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/** The secret in an `Authorization` header; null where there is none. */
export function bearerOf(header: string | undefined): string | null {
  return /^(?:bearer|token) +(\S+)$/i.exec(header ?? '')?.[1] ?? null
}

/** The signature that GitHub puts on a webhook. */
export function signatureOf(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
