import { sign } from 'node:crypto'
import type { Instant } from '../../../domain/time.ts'

/** The tolerance for a clock of ours that is ahead of GitHub's. */
const skewSeconds = 60
/** GitHub accepts at most ten minutes. */
const lifeSeconds = 9 * 60

/** The JWT with which the App authenticates as itself. Throws where the key is invalid. */
export function appJwt(id: string, privateKey: string, now: Instant): string {
  const iat = Math.floor(now / 1000) - skewSeconds
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat, exp: iat + lifeSeconds, iss: id })}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`
}
